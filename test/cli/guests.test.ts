import { randomUUID } from 'node:crypto'
import test from 'ava'
import { runCli } from '../support/cli.ts'
import { startTestEnvironment } from '../support/test-environment.ts'

const environment = await startTestEnvironment()
const { seed, pool } = environment
test.after.always(() => environment.stop())

const run = (...args: string[]) => runCli(environment.databaseUrl, 'workspace', ...args)

async function createWorkspace(): Promise<{ id: string; slug: string }> {
  const slug = `w-${randomUUID()}`
  const id = await seed.workspace()
  await pool.query('update workspaces set slug = $2 where id = $1', [id, slug])
  return { id, slug }
}

const list = async (...args: string[]) => JSON.parse((await run('members', ...args, '--json')).out)

test('guests are invited, listed, made and lifted', async (t) => {
  const { id, slug } = await createWorkspace()
  const [guest, editor] = [`${randomUUID()}@example.com`, `${randomUUID()}@example.com`]
  const invited = await run('invite', slug, guest, '--guest')
  t.is(invited.err, '')
  const [line, link = ''] = invited.out.split('\n')
  t.is(line, `Invited ${guest} as a guest.`)
  t.regex(link, /^The invitation, valid for seven days: http\S+$/)
  t.regex(
    (await run('invite', slug, editor, '--role', 'editor')).out,
    /^Invited \S+ as an editor\.$/m,
  )

  const rows = await list(slug)
  t.deepEqual(
    rows.map(({ email, role, guest }: Row) => ({ email, role, guest })).sort(byEmail),
    [
      { email: guest, role: 'viewer', guest: true },
      { email: editor, role: 'editor', guest: false },
    ].sort(byEmail),
  )
  t.deepEqual(
    (await list(slug, '--guest')).map(({ email }: Row) => email),
    [guest],
  )
  t.deepEqual(
    (await list(slug, '--no-guest')).map(({ email }: Row) => email),
    [editor],
  )

  const change = async (...args: string[]) => (await run('update-member', slug, ...args)).out
  t.is(await change(editor, '--guest'), `${editor} is now a guest of ${slug}.\n`)
  t.is(
    await change(guest, '--no-guest', '--role', 'admin'),
    `${guest} is now an admin of ${slug}.\n`,
  )
  const { rows: stored } = await pool.query(
    `select u.email, m.role, m.is_guest as guest from members m join users u on u.id = m.user_id
     where m.workspace_id = $1`,
    [id],
  )
  t.deepEqual(
    stored.sort(byEmail),
    [
      { email: editor, role: 'viewer', guest: true },
      { email: guest, role: 'admin', guest: false },
    ].sort(byEmail),
  )
})

test('a change that makes no sense is refused', async (t) => {
  const { slug } = await createWorkspace()
  const email = `${randomUUID()}@example.com`
  t.like(await run('update-member', slug, email), {
    status: 2,
    err: 'Nothing to change: use --role, --guest or --no-guest\n',
  })
  t.is((await run('invite', slug, email, '--guest', '--role', 'admin')).status, 2)
  await run('invite', slug, email, '--guest')
  const refused = await run('update-member', slug, email, '--role', 'admin')
  t.is(refused.status, 2)
  t.regex(refused.err, /guest/)
})

type Row = { email: string; role: string; guest: boolean }

function byEmail(left: { email: string }, right: { email: string }): number {
  return left.email < right.email ? -1 : 1
}
