import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import test, { type ExecutionContext } from 'ava'

const root = join(import.meta.dirname, '../..')

/** The pages of one change, in the order in which a contributor follows them. */
const pages = ['migrations', 'settings', 'events', 'methods']

/** A block that the pages mark as a new file, a change of a file, or commands to run. */
type Step = { kind: string; path: string; text: string }

/** Reads the blocks that follow `<!-- create path -->`, `<!-- edit path -->` and `<!-- run -->`. */
function readSteps(page: string): Step[] {
  const text = readPage(page)
  const pattern = /^( *)<!-- (create|edit|run) ?(\S*) -->\n *```\w+\n([\s\S]*?)^ *```$/gm
  return [...text.matchAll(pattern)].map(([, indent = '', kind = '', path = '', block = '']) => ({
    kind,
    path,
    text: block.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
  }))
}

function readPage(name: string): string {
  return readFileSync(join(root, 'docs/contributing', `${name}.md`), 'utf8')
}

test('the pages for contributors add a method, a setting, an event and a migration', (t) => {
  t.timeout(9 * 60_000)
  const folder = cloneRepository(t)
  const steps = pages.flatMap(readSteps)
  t.deepEqual(new Set(steps.map(({ kind }) => kind)), new Set(['create', 'edit', 'run']))
  for (const { kind, path, text } of steps) {
    if (kind === 'run') runCommands(t, folder, text)
    else if (kind === 'create') createFile(join(folder, path), text)
    else editFile(join(folder, path), text)
  }
  const read = (path: string) => readFileSync(join(folder, path), 'utf8')
  t.regex(read('docs/configuration.md'), /MAX_PINNED_WORKSPACES/)
  t.regex(read('docs/activity-log.md'), /workspace\.pinned/)
  t.regex(read('docs/api.md'), /AdminService\/PinWorkspace/)
  t.regex(read('test/golden/policy.txt'), /^AdminService\/PinWorkspace .* admin /m)
  t.regex(read('test/golden/credentials.txt'), /^AdminService\/PinWorkspace$/m)
})

test('the commands for contributors use the Node.js of the repository', (t) => {
  for (const page of [...pages, 'debugging', 'release', 'tour'])
    t.notRegex(readPage(page), /^ *node /m, page)
})

/** Clones the repository with its uncommitted changes. */
function cloneRepository(t: ExecutionContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'daikon-contribution-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  runCommands(
    t,
    root,
    `git clone --quiet --shared . ${folder}
    git diff --binary HEAD | git -C ${folder} apply --allow-empty`,
  )
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  return folder
}

/** Runs commands in a shell without the programs that `npm test` adds to the path. */
function runCommands(t: ExecutionContext, cwd: string, commands: string): void {
  const isOutside = (path: string) => !path.includes('node_modules')
  const path = (process.env.PATH ?? '').split(delimiter).filter(isOutside).join(delimiter)
  const env = { PATH: path, HOME: process.env.HOME }
  const result = spawnSync('sh', ['-euc', commands], {
    cwd,
    env,
    encoding: 'utf8',
  })
  t.is(
    result.status,
    0,
    `${commands}\n${result.stdout.slice(-5000)}\n${result.stderr.slice(-5000)}`,
  )
}

function createFile(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}

/** Applies a diff without line numbers. Its old lines must occur exactly once. */
function editFile(path: string, diff: string): void {
  const lines = diff.split('\n').slice(0, -1)
  const side = (sign: string) =>
    lines
      .filter((line) => !line.startsWith(sign))
      .map((line) => `${line.slice(1)}\n`)
      .join('')
  const [before, after] = [side('+'), side('-')]
  const parts = `\n${readFileSync(path, 'utf8')}`.split(`\n${before}`)
  if (parts.length !== 2)
    throw new Error(`${path} contains these lines ${parts.length - 1} times:\n${before}`)
  writeFileSync(path, parts.join(`\n${after}`).slice(1))
}
