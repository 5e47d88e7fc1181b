import { execFileSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'ava'

const root = join(import.meta.dirname, '../..')

test('a release sets the version of every package, commits it and creates a tag', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'daikon-release-'))
  t.teardown(() => rmSync(folder, { recursive: true }))
  const run = (command: string, ...args: string[]) =>
    execFileSync(command, args, { cwd: folder, encoding: 'utf8' })
  // Copies the files of the work tree to a new repository.
  const files = execFileSync('git', ['ls-files'], { cwd: root, encoding: 'utf8' })
    .trim()
    .split('\n')
  const isVersioned = (path: string) =>
    /(^|\/)(package(-lock)?\.json|pyproject\.toml|Chart\.yaml|pom\.xml|release\.ts)$/.test(path) ||
    path.endsWith('.md')
  for (const path of files.filter(isVersioned)) cpSync(join(root, path), join(folder, path))
  run('git', 'init', '--quiet')
  run('git', 'config', 'user.name', 'Test')
  run('git', 'config', 'user.email', 'test@example.com')
  run('git', 'add', '--all')
  run('git', 'commit', '--quiet', '--message', 'Start')
  const read = (path: string) => readFileSync(join(folder, path), 'utf8')
  const { version: previous } = JSON.parse(read('package.json'))

  const next = '98.7.6'
  run(process.execPath, 'deploy/package/release.ts', next)
  t.is(run('git', 'status', '--porcelain'), '')
  t.deepEqual(run('git', 'tag').trim().split('\n'), [`clients/go/v${next}`, `v${next}`])
  for (const path of ['package.json', 'package-lock.json', 'clients/typescript/package.json'])
    t.is(JSON.parse(read(path)).version, next, path)
  t.is(JSON.parse(read('clients/browser/package.json')).version, next)
  t.regex(read('clients/python/pyproject.toml'), /^version = "98\.7\.6"$/m)
  t.regex(read('clients/java/pom.xml'), /^ {2}<version>98\.7\.6<\/version>$/m)
  t.regex(read('deploy/helm/daikon/Chart.yaml'), /^version: 98\.7\.6$/m)
  t.regex(read('CHANGELOG.md'), /^## Unreleased\n\n## 98\.7\.6 \(\d{4}-\d\d-\d\d\)$/m)
  // No file contains the previous version, except for lock files and the changelog.
  const stale = files
    .filter((path) => isVersioned(path) && !/package-lock|CHANGELOG/.test(path))
    .filter((path) => new RegExp(`[-:"v> ]${previous.replaceAll('.', '\\.')}\\b`).test(read(path)))
  t.deepEqual(stale, [])
})
