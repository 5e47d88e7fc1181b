import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, readdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const prefix = 'daikon-test-'
const memory = '/dev/shm'
const gigabyte = 2 ** 30

/**
 * Creates the folder for the data of the PostgreSQL server of tests, in memory if there is enough: each test file
 * clones and drops a database of 700 files, and ext4 takes long to create files after others were deleted.
 */
export async function createTestFolder(): Promise<string> {
  const parent = hasMemory() ? memory : tmpdir()
  if (parent === memory) removeAbandoned()
  return await mkdtemp(join(parent, `${prefix}${process.pid}-`))
}

/**
 * Creates the folder for what tests write to the folder of temporary files: copies of the repository and of data
 * folders of PostgreSQL, packages, programs. Returns the usual one if no program can be started in the folder of the data.
 */
export function createTemporaryFolder(dataFolder: string): string {
  const folder = join(dataFolder, 'tmp')
  mkdirSync(folder)
  // Tests start servers as other users.
  chmodSync(folder, 0o1777)
  const program = join(folder, 'program')
  writeFileSync(program, '#!/bin/sh\n', { mode: 0o755 })
  const { status } = spawnSync(program)
  rmSync(program)
  return status === 0 ? folder : tmpdir()
}

function hasMemory(): boolean {
  try {
    const { bavail, bsize } = statfsSync(memory)
    return Math.min(bavail * bsize, process.availableMemory()) > 6 * gigabyte
  } catch {
    return false
  }
}

/** Removes the folders of runs that were killed, which would occupy memory. */
function removeAbandoned(): void {
  for (const name of readdirSync(memory)) {
    const [, owner] = new RegExp(`^${prefix}(\\d+)-`).exec(name) ?? []
    if (owner && !isRunning(Number(owner)))
      rmSync(join(memory, name), { recursive: true, force: true })
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // It runs as another user.
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
