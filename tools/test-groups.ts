import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { isAlone } from './test-files.ts'

const root = join(import.meta.dirname, '..')

/** The maximum number of files of a group. Their servers and databases exist at the same time. */
const maxFiles = 8

/**
 * Divides test files into groups of a folder, each of which runs in one thread: starting a thread, loading the server and
 * compiling what a test calls first takes longer than the tests of most files.
 */
export function groupTests(files: readonly string[]): string[][] {
  const groups: string[][] = []
  const open = new Map<string, string[]>()
  for (const file of files) {
    const last = open.get(dirname(file))
    if (isAlone(file)) groups.push([file])
    else if (last && last.length < maxFiles) last.push(file)
    else {
      const group = [file]
      groups.push(group)
      open.set(dirname(file), group)
    }
  }
  return groups
}

/** Returns what `readGroups` reads in the threads. */
export function encodeGroups(groups: readonly string[][]): string {
  const urls = groups.map((files) => files.map((file) => pathToFileURL(join(root, file)).href))
  return JSON.stringify(urls.filter(({ length }) => length > 1))
}

/** Returns the URLs of the files of each group, by that of the first, which AVA starts a thread for. */
export function readGroups(encoded: string | undefined): Map<string, string[]> {
  const groups: [string, ...string[]][] = JSON.parse(encoded || '[]')
  return new Map(groups.map((urls) => [urls[0], urls]))
}

/** Separates the name of a test from the file to which AVA attributes it, the first one of the group. */
const mark = '\u2063'

/** Returns the title by which AVA knows a test of a file of a group. */
export function withFile(url: string, title: string): string {
  const path = url.slice(pathToFileURL(join(root, 'test/')).href.length).replace(/\.test\.ts$/, '')
  return `${mark}${path.replaceAll('/', ' › ')} › ${title}`
}

/** Returns a line of output with the file of the test instead of the first one of the group. */
export function withoutGroup(line: string): string {
  return line.replace(new RegExp(`^((?:not )?ok \\d+ - |# ).*${mark}`), '$1')
}
