import { spawnSync } from 'node:child_process'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')

/** Stands for the last release until there is a tag. */
const commit = '273f6f1478a93075d6d85ecd6fe9ac4b63c2d80a'

/**
 * Returns the commit of the last release, from which upgrades are tested, or undefined if this clone
 * does not have it.
 */
export function findLastRelease(): string | undefined {
  const git = (...args: string[]) => spawnSync('git', args, { cwd: root, encoding: 'utf8' })
  const tag = git('describe', '--tags', '--abbrev=0', '--match', 'v*')
  const release = tag.status === 0 ? tag.stdout.trim() : commit
  return git('cat-file', '-e', `${release}^{commit}`).status === 0 ? release : undefined
}
