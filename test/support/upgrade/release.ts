import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ExecutionContext } from 'ava'

const root = join(import.meta.dirname, '../../..')

/** Writes the sources of a commit into a folder, in which the installed packages are used. */
export function checkOut(t: Pick<ExecutionContext, 'teardown'>, commit: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'daikon-release-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  const paths = 'src gen proto package.json'
  execFileSync('sh', ['-c', `git archive ${commit} ${paths} | tar x -C ${folder}`], { cwd: root })
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  return folder
}
