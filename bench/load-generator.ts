import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import type { BenchProcess } from './child-process.ts'
import { startBenchProcess, startLineProcess } from './child-process.ts'

/**
 * The program that applies a load. `node` is load.ts; `go` is in the folder generator and uses less
 * CPU.
 */
export type Generator = 'node' | 'go'

const sources = join(import.meta.dirname, 'generator')

/**
 * Builds the Go generator in a folder and returns its path. Returns undefined if Go is not
 * installed.
 */
export function buildGoGenerator(folder: string): string | undefined {
  const program = join(folder, 'generator')
  const { error, status } = spawnSync('go', ['build', '-o', program, '.'], {
    cwd: sources,
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  if (error && 'code' in error && error.code === 'ENOENT') return undefined
  if (error || status !== 0) throw new Error('Cannot build bench/generator', { cause: error })
  return program
}

/** Starts a generator. `program` is the path of the Go generator. */
export function startGenerator(program?: string): BenchProcess {
  return program ? startLineProcess(program) : startBenchProcess('load.ts')
}
