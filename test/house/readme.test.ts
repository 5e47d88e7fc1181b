import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import test from 'ava'
import { settings } from '../../src/config.ts'
import { startDev } from '../support/dev.ts'

const root = join(import.meta.dirname, '../..')
const path = join(root, 'README.md')
if (process.env.UPDATE_GOLDEN) await writeSettings()
const readme = await readFile(path, 'utf8')

test('the README lists every setting with its default and its sentence', (t) => {
  const rows = [...readme.matchAll(/^\| `([A-Z_]+)` \| (?:`(.*)`)? ?\| (.*) \|$/gm)]
  const documented = rows.map(([, name, fallback = '', sentence]) => [name, fallback, sentence])
  const known = Object.entries(settings).map(([name, row]) => [name, row.fallback, row.sentence])
  t.deepEqual(documented, known)
})

test('the README’s first minutes work as pasted', async (t) => {
  const { env, welcome, rest, grpc } = await startDev(t)
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

/** Writes the table of settings anew, from the code. */
async function writeSettings(): Promise<void> {
  const rows = Object.entries(settings).map(([name, { fallback, sentence }]) => {
    const cells = [`\`${name}\``, fallback && `\`${fallback}\``, sentence]
    return `| ${cells.join(' | ')} |\n`
  })
  const before = await readFile(path, 'utf8')
  const head = '| variable | default | |\n|---|---|---|\n'
  const [start = '', rest = ''] = before.split(head)
  const after = rest.replace(/^(\|.*\n)*/, '')
  await writeFile(path, `${start}${head}${rows.join('')}${after}`)
}
