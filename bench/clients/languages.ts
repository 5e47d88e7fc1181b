import { spawnSync } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type BenchProcess, startLineProcess } from '../child-process.ts'
import type { AtOnceCallerName, AtOnceResult, CallerCheck } from '../client-caller.ts'
import { kind, serviceKey } from '../data-set.ts'
import type { Harness } from '../harness.ts'

/** A client library of another language. */
export type Language = {
  language: string
  runAtOnce(caller: AtOnceCallerName, port: number): Promise<AtOnceResult>
}

const clients = join(import.meta.dirname, '../../clients')

/**
 * Starts the callers in Python and Go, each of which makes all checks concurrently. Leaves out a
 * language that is not installed.
 */
export function startLanguages(
  { database: { folder } }: Harness,
  checks: CallerCheck[],
): Language[] {
  const file = join(folder, 'client-checks.json')
  writeFileSync(file, JSON.stringify(checks))
  const job = {
    file,
    service: kind.service_name,
    type: kind.resource_type,
    serviceKey,
  }
  const describe = (language: string, process: BenchProcess, mode?: string): Language => ({
    language,
    runAtOnce: (caller, port) => process.request({ ...job, port, caller, mode }),
  })
  const languages: Language[] = []
  const python = startPython()
  if (python) {
    languages.push(describe('Python, 64 threads', python, 'threads'))
    languages.push(describe('Python, a list', python, 'list'))
    languages.push(describe('Python, asyncio', python, 'asyncio'))
  }
  const go = startGo(folder)
  if (go) languages.push(describe('Go', go))
  return languages
}

function startPython(): BenchProcess | undefined {
  const program = join(clients, 'python/.venv/bin/python')
  if (!existsSync(program)) {
    process.stdout.write('clients/python/install has not run: the Python client is left out\n')
    return undefined
  }
  const caller = join(import.meta.dirname, 'caller.py')
  return startLineProcess(program, [caller], { PYTHONPATH: join(clients, 'python/src') })
}

function startGo(folder: string): BenchProcess | undefined {
  const program = join(folder, 'client-caller')
  const { error, status } = spawnSync('go', ['build', '-o', program, '.'], {
    cwd: join(import.meta.dirname, 'go'),
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  if (error || status !== 0) {
    process.stdout.write('The caller in Go cannot be built: the Go client is left out\n')
    return undefined
  }
  return startLineProcess(program)
}
