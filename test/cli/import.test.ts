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

/** Runs `daikon import` with a file. */
async function runImport(content: string | Buffer, ...options: string[]) {
  const path = join(folder, `${randomUUID()}.csv`)
  await writeFile(path, content)
  return runCli(environment.databaseUrl, 'import', path, ...options)
}

async function findRole(email: string): Promise<string | undefined> {
  const { rows } = await environment.pool.query(
    'select m.role from members m join users u on u.id = m.user_id where u.email = $1',
    [email],
  )
  return rows[0]?.role
}

test('a dry run changes nothing, and importing the same file again changes nothing', async (t) => {
  const email = `${randomUUID()}@example.com`
  const csv = `email,workspace_slug,role\n${email},${slug},editor\n`
  t.deepEqual(await runImport(csv, '--dry-run'), {
    out: '1 to create, 0 to update, 0 unchanged, 0 with errors.\nDry run: nothing was changed.\n',
    err: '',
    status: 0,
  })
  t.is(await findRole(email), undefined)
  t.like(await runImport(csv), { out: '1 created, 0 updated, 0 unchanged.\n', status: 0 })
  t.is(await findRole(email), 'editor')
  const repeated = await runImport(csv, '--json')
  t.is(repeated.status, 0)
  t.deepEqual(JSON.parse(repeated.out).summary, {
    rows: 1,
    create: 0,
    update: 0,
    unchanged: 1,
    errors: 0,
  })
})

test('if a file has errors, they are printed with their lines, nothing is imported, and the status is 1', async (t) => {
  const email = `${randomUUID()}@example.com`
  const csv = `email,workspace_slug\n${email},${slug}\nnobody,${slug}\n`
  const rejected = await runImport(csv)
  t.is(rejected.status, 1)
  t.regex(rejected.err, /^1 of 2 rows .*\ncsv\[3\]\.email must be an? .*e-mail address\n$/)
  t.is(await findRole(email), undefined)
  const dryRun = await runImport(csv, '--dry-run')
  t.is(dryRun.status, 1)
  t.regex(dryRun.out, /^Line 3: email must be an? .*e-mail address\n1 to create, .*1 with errors/)
  t.like(await runImport(Buffer.from([0xff, 0x0a])), {
    status: 2,
    err: 'The file is not valid UTF-8\n',
  })
})

test('only the first 20 errors are printed', async (t) => {
  const csv = `email,workspace_slug\n${`nobody,${slug}\n`.repeat(25)}`
  const { err, status } = await runImport(csv)
  t.is(status, 1)
  t.is(err.trimEnd().split('\n').length, 22)
  t.regex(err, /\n… and 5 more\n$/)
})

test('the progress bar is drawn only on a terminal and cleared at the end', (t) => {
  const draw = (isTTY: boolean, size = 1) => {
    const written: string[] = []
    const stream = { isTTY, write: (text: string) => written.push(text) }
    const bar = createProgressBar(stream as unknown as NodeJS.WriteStream)
    for (const done of [0, 1, 1, 2]) bar.onProgress('Writing', done * size, 2 * size)
    bar.clear()
    return written
  }
  t.deepEqual(draw(false), [])
  // Elsewhere, imports of more than 1,000 rows write lines.
  t.deepEqual(draw(false, 500), [])
  t.deepEqual(draw(false, 501), [
    'Writing: 0 of 1002\n',
    'Writing: 501 of 1002\n',
    'Writing: 1002 of 1002\n',
  ])
  const [none, half, all, end] = draw(true)
  t.regex(none ?? '', /Writing {3}░{30} 0 %$/)
  t.regex(half ?? '', /█{15}░{15} 50 %$/)
  t.regex(all ?? '', /█{30} 100 %$/)
  t.is(end, '\r\u001b[K')
})
