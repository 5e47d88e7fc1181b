import { randomUUID } from 'node:crypto'
import test from 'ava'
import { listActivity } from '../support/activity.ts'
import { runCli } from '../support/cli.ts'
import { startTestEnvironment } from '../support/test-environment.ts'

const environment = await startTestEnvironment()
const { pool } = environment
test.after.always(() => environment.stop())

const run = (...args: string[]) => runCli(environment.databaseUrl, 'workspace', ...args)

test('a workspace is created with an invited owner, changed and deleted', async (t) => {
  const slug = `w-${randomUUID()}`
  const owner = `${randomUUID()}@example.com`
  const created = await run('create', '--slug', slug, '--name', 'New', '--owner', owner)
  t.is(created.err, '')
  const { rows } = await pool.query('select id from workspaces where slug = $1', [slug])
  const [{ id }] = rows
  const [invited, link = ''] = created.out.split('\n')
  t.is(invited, `Created ${slug} (${id}); invited ${owner}.`)
  t.regex(link, /^The invitation, valid for seven days: http\S+\/oauth\/invitations\/[\w-]{43}$/)
  const [member] = JSON.parse((await run('members', slug, '--json')).out)
  t.like(member, { email: owner, role: 'owner', status: 'invited' })

  t.is((await run('update', slug, '--name', 'Renamed')).out, `Updated ${slug}.\n`)
  t.is((await run('delete', slug)).out, `Deleted ${slug}.\n`)
  t.like(await run('members', slug), { out: '', err: 'Workspace not found\n' })
  const events = (await listActivity(pool, id)).map(({ action, actor_id }) => [action, actor_id])
  t.deepEqual(events, [
    ['workspace.created', null],
    ['workspace.updated', null],
    ['workspace.deleted', null],
  ])
})

test('a workspace is not created if its slug is taken or invalid, or its owner is', async (t) => {
  const slug = `w-${randomUUID()}`
  const create = (slug: string, owner: string) =>
    run('create', '--slug', slug, '--name', 'New', '--owner', owner)
  t.is((await create(slug, 'not-an-address')).err, 'email must be an e-mail address\n')
  t.regex((await create('A b', 'owner@example.com')).err, /^slug must match /)
  t.is((await create(slug, 'owner@example.com')).status, 0)
  t.like(await create(slug, 'other@example.com'), {
    out: '',
    err: 'Another workspace has this slug\n',
  })
  t.like(await run('update', slug), {
    status: 2,
    err: 'Nothing to change: use --name or --description\n',
  })
})
