import { randomUUID } from 'node:crypto'
import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'ava'
import { createProgressBar } from '../../src/cli/progress-bar.ts'
import { runCli } from '../support/cli.ts'
import { startTestEnvironment } from '../support/test-environment.ts'

const environment = await startTestEnvironment()
const folder = await mkdtemp(join(tmpdir(), 'daikon-import-'))
const slug = `w-${await environment.seed.workspace()}`
test.after.always(() => environment.stop())

/** Runs the operator's tool on a file of these bytes. */
async function run(content: string | Buffer, ...options: string[]) {
  const path = join(folder, `${randomUUID()}.csv`)
  await writeFile(path, content)
  return runCli(environment.databaseUrl, 'import', path, ...options)
}

async function roleOf(email: string): Promise<string | undefined> {
  const { rows } = await environment.pool.query(
    'select m.role from members m join users u on u.id = m.user_id where u.email = $1',
    [email],
  )
  return rows[0]?.role
}

test('a dry run tells and changes nothing, a run does it, another one finds it done', async (t) => {
  const email = `${randomUUID()}@example.com`
  const csv = `email,workspace_slug,role\n${email},${slug},editor\n`
  const dry = await run(csv, '--dry-run')
  t.deepEqual(dry, {
    out: '1 to create, 0 to update, 0 unchanged, 0 with errors; nothing is changed.\n',
    ...{ err: '', status: 0 },
  })
  t.is(await roleOf(email), undefined)
  t.like(await run(csv), { out: '1 created, 0 updated, 0 unchanged.\n', status: 0 })
  t.is(await roleOf(email), 'editor')
  const again = await run(csv, '--json')
  t.is(again.status, 0)
  t.deepEqual(JSON.parse(again.out).summary, {
    ...{ rows: 1, create: 0, update: 0, unchanged: 1, errors: 0 },
  })
})

test('a file with errors is refused with its lines, and a dry run tells them, too: status 1', async (t) => {
  const email = `${randomUUID()}@example.com`
  const csv = `email,workspace_slug\n${email},${slug}\nnobody,${slug}\n`
  const refused = await run(csv)
  t.is(refused.status, 1)
  t.is(
    refused.err,
    '1 of 2 rows have errors; nothing is imported\ncsv[3].email must be an e-mail address\n',
  )
  t.is(await roleOf(email), undefined)
  const dry = await run(csv, '--dry-run')
  t.is(dry.status, 1)
  t.regex(dry.out, /^Line 3: email must be an e-mail address\n1 to create, .*1 with errors/)
  t.like(await run(Buffer.from([0xff, 0x0a])), { status: 1, err: 'The file is not UTF-8 text\n' })
})

test('a bar is drawn on a terminal alone, and taken away at the end', (t) => {
  const draw = (isTTY: boolean) => {
    const written: string[] = []
    const stream = { isTTY, write: (text: string) => written.push(text) }
    const bar = createProgressBar(stream as unknown as NodeJS.WriteStream)
    for (const done of [0, 1, 1, 2]) bar.tell('Writing', done, 2)
    bar.clear()
    return written
  }
  t.deepEqual(draw(false), [])
  const [none, half, all, end] = draw(true)
  t.regex(none ?? '', /Writing {3}░{30} 0 %$/)
  t.regex(half ?? '', /█{15}░{15} 50 %$/)
  t.regex(all ?? '', /█{30} 100 %$/)
  t.is(end, '\r\u001b[K')
})
