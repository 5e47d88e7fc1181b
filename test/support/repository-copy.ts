import { execFileSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ExecutionContext } from 'ava'
import { readImports } from './imports.ts'

const root = join(import.meta.dirname, '../..')

/** What types need, although Git does not contain it. */
const generated = ['clients/typescript/src/gen', 'console/gen']

/** Copies the files of the repository, with the same installed packages. Returns the folder. */
export function copyRepository(t: Pick<ExecutionContext, 'teardown'>): string {
  const copy = mkdtempSync(join(tmpdir(), 'daikon-copy-'))
  t.teardown(() => rmSync(copy, { recursive: true, force: true }))
  for (const path of [...listFiles(), ...generated])
    cpSync(join(root, path), join(copy, path), { recursive: true })
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'))
  return copy
}

/**
 * Leaves features out of a copy: their folders, their lines in the list of the server, and what tests,
 * measures or generates from their files. Returns the removed files outside their folders.
 */
export function leaveOut(copy: string, features: string[]): string[] {
  removeLines(join(copy, 'src/server/features.ts'), (line) =>
    features.some(
      (name) => line === `  ${camelCase(name)},` || line.includes(`'../${name}/feature.ts'`),
    ),
  )
  for (const path of features.flatMap(foldersOf))
    rmSync(join(copy, path), { recursive: true, force: true })
  const dependent = listDependents(features)
  for (const file of dependent) rmSync(join(copy, file), { force: true })
  return dependent
}

/** The folders of a feature: its code, its tests, and the pages of the admin console. */
const foldersOf = (name: string) => [`src/${name}`, `test/${name}`, ...(pages[name] ?? [])]

const pages: Record<string, string[]> = { console: ['console', 'bench/console'] }

/** Leaves a command out of a copy: its files and its lines in the program. */
export function leaveOutCommand(copy: string, name: string): void {
  removeLines(join(copy, 'src/cli/program.ts'), (line) =>
    line.includes(`${camelCase(name)}Command`),
  )
  for (const path of [`src/cli/${name}`, `test/cli/${name}`]) {
    rmSync(join(copy, path), { recursive: true, force: true })
    rmSync(join(copy, `${path}.ts`), { force: true })
    rmSync(join(copy, `${path}.test.ts`), { force: true })
  }
}

const camelCase = (name: string) =>
  name.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase())

/** Removes lines from a file. */
export function removeLines(path: string, isRemoved: (line: string) => boolean): void {
  const lines = readFileSync(path, 'utf8').split('\n')
  writeFileSync(path, lines.filter((line) => !isRemoved(line)).join('\n'))
}

/** Returns the files outside src that import a file of the features, directly or not. */
function listDependents(features: string[]): string[] {
  const files = listFiles().filter((file) => /^(test|bench|tools)\/.*\.ts$/.test(file))
  const imports = readImports(root, files)
  const found = new Set<string>()
  const folders = features.flatMap(foldersOf)
  const isInFolder = (path: string) => folders.some((folder) => path.startsWith(`${folder}/`))
  const isGone = (path: string) => found.has(path) || isInFolder(path)
  for (let size = -1; size < found.size; ) {
    size = found.size
    for (const { from, to } of imports) if (isGone(to)) found.add(from)
  }
  return [...found].filter((file) => !isInFolder(file))
}

function listFiles(): string[] {
  const listed = execFileSync(
    'git',
    ['ls-files', '-z', '--cached', '--others', '--exclude-standard'],
    {
      cwd: root,
      encoding: 'utf8',
    },
  )
  return listed.split('\0').filter((file) => file !== '')
}
