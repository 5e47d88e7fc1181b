import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import type { BenchProcess } from './child-process.ts'
import { startBenchProcess, startLineProcess } from './child-process.ts'

/** A program that applies a load: `node` is load.ts; `go` is the folder generator and uses less CPU. */
export type Generator = 'node' | 'go'

const sources = join(import.meta.dirname, 'generator')

/** Builds the generator in Go in a folder and returns its path; undefined where Go is not installed. */
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

/** Starts a generator; `program` is that in Go. */
export function startGenerator(program?: string): BenchProcess {
  return program ? startLineProcess(program) : startBenchProcess('load.ts')
}
