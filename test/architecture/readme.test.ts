import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import test from 'ava'
import { activityEvents } from '../../src/activity/events.ts'
import { settings } from '../../src/config/settings.ts'
import { startDevServer } from '../support/dev-server.ts'

const root = join(import.meta.dirname, '../..')
const path = join(root, 'README.md')
if (process.env.UPDATE_GOLDEN) await writeTables()
const readme = await readFile(path, 'utf8')

test('the README lists every setting and every recorded occurrence, as the code knows them', (t) => {
  for (const [head, rows] of Object.entries(tables())) {
    const [, rest = ''] = readme.split(head)
    t.is(/^(\|.*\n)*/.exec(rest)?.[0], rows.join(''))
  }
})

test('the README’s first minutes work as pasted', async (t) => {
  const { env, welcome, rest, grpc } = await startDevServer(t)
  const [, commands = ''] = /<!-- run -->\n```sh\n(.*?)```/s.exec(readme) ?? []
  const pasted = commands
    .replaceAll('http://localhost:8000', rest)
    .replaceAll('localhost:50051', `localhost:${grpc}`)
    .replaceAll('.daikon/', `${env.DATA_DIR}/`)
  const shell = promisify(execFile)
  const readmeRun = await shell('bash', ['-euc', pasted], { cwd: root, env })
  t.is(readmeRun.stdout.match(/"visibility":"private"/g)?.length, 1)
  t.is(readmeRun.stdout.match(/"allowed": ?true/g)?.length, 2, readmeRun.stdout + readmeRun.stderr)

  const curl = /^TOKEN=.*?^curl.*?\n\n/ms.exec(welcome)?.[0] ?? ''
  const printed = await shell('bash', ['-euc', curl], { cwd: root, env })
  const { results } = JSON.parse(printed.stdout)
  t.deepEqual(
    results.map(({ allowed }: { allowed: boolean }) => allowed),
    [true, false],
  )
})

/** Writes the tables anew, from the code. */
async function writeTables(): Promise<void> {
  let text = await readFile(path, 'utf8')
  for (const [head, rows] of Object.entries(tables())) {
    const [start = '', rest = ''] = text.split(head)
    text = `${start}${head}${rows.join('')}${rest.replace(/^(\|.*\n)*/, '')}`
  }
  await writeFile(path, text)
}

/** Each table's first lines, and its rows. */
function tables(): Record<string, string[]> {
  return {
    '| variable | default | |\n|---|---|---|\n': Object.entries(settings).map(
      ([name, { fallback, description }]) =>
        row([`\`${name}\``, fallback && `\`${fallback}\``, description]),
    ),
    '| action | happens to | what has happened | detail | written by |\n|---|---|---|---|---|\n':
      Object.entries(activityEvents).map(([action, { target, detail, description, recordedBy }]) =>
        row([
          `\`${action}\``,
          target,
          description,
          detail.join(', '),
          recordedBy.join(', ') || 'the operator’s tool',
        ]),
      ),
  }
}

function row(cells: string[]): string {
  return `| ${cells.join(' | ')} |\n`
}
