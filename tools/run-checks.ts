import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findBreakingProblems } from './breaking-changes.ts'
import { generateGoCode, goCode } from './generate-go.ts'
import {
  clientCode,
  generateClientCode,
  generateRestTypes,
  generateServerCode,
  replaceFolder,
  restTypes,
} from './generated-code.ts'
import { findLastRelease } from './last-release.ts'

/** `npm run check`: runs every check, even after one has failed. */
const temporary = mkdtempSync(join(tmpdir(), 'daikon-check-'))
/** Each of the compiler's checkers creates the types that it needs, so more of them take more time on two cores. */
const checkers = ['--checkers', '2']
const checks: Record<string, () => boolean> = {
  'generated code is up to date': checkGenerated,
  'generated Go code is up to date': checkGeneratedGo,
  'generated code that is not committed': generateUncommitted,
  types: () => run('tsc', '--noEmit', ...checkers),
  'types of the browser client': () => run('tsc', '-p', 'clients/browser', '--noEmit'),
  'types of the admin console': () => run('tsc', '-p', 'console', ...checkers),
  'lint and format': () => run('biome', 'ci', '--colors=off', '.'),
  'proto lint': () => run('buf', 'lint'),
  'proto format': () => run('buf', 'format', '--diff', '--exit-code', 'proto'),
  'proto breaking': checkBreaking,
  'OpenAPI lint': lintOpenApi,
}

const failed = Object.entries(checks).filter(([name, check]) => {
  const passed = runCheck(check)
  process.stdout.write(`${passed ? 'ok' : 'FAILED'}: ${name}\n`)
  return !passed
})
rmSync(temporary, { recursive: true, force: true })
process.exitCode = failed.length === 0 ? 0 : 1

function runCheck(check: () => boolean): boolean {
  try {
    return check()
  } catch (error) {
    process.stdout.write(`${error}\n`)
    return false
  }
}

function run(command: string, ...args: string[]): boolean {
  const env = {
    ...process.env,
    REDOCLY_TELEMETRY: 'off',
    REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true',
  }
  const { error, status } = spawnSync(command, args, { stdio: 'inherit', env })
  if (error) process.stdout.write(`${command} does not start: run npm ci (${error.message})\n`)
  return status === 0
}

/** Compares the API with the last release, file by file. */
function checkBreaking(): boolean {
  const release = findLastRelease()
  if (!release) {
    process.stdout.write(
      'Not compared: this clone lacks the last release (git fetch --unshallow)\n',
    )
    return true
  }
  const before = mkdtempSync(join(temporary, 'before-'))
  if (!run('sh', '-c', `git archive ${release} proto buf.yaml | tar x -C ${before}`)) return false
  const args = ['breaking', '--against', before, '--error-format', 'json']
  const { error, status, stdout, stderr } = spawnSync('buf', args, { encoding: 'utf8' })
  // 100: there are incompatible changes.
  if (error || (status !== 0 && status !== 100)) throw error ?? new Error(stderr)
  const problems = findBreakingProblems(stdout)
  for (const problem of problems) process.stdout.write(`${problem}\n`)
  return problems.length === 0
}

/** Compares the committed code with newly generated code. */
function checkGenerated(): boolean {
  generateServerCode(temporary)
  return run('diff', '-r', 'gen', join(temporary, 'gen'))
}

/** Passes with a message where Go is missing. */
function checkGeneratedGo(): boolean {
  return !generateGoCode(temporary) || run('diff', '-r', goCode, join(temporary, goCode))
}

/** Generates the code that is not committed, which the types of the other checks need. */
function generateUncommitted(): boolean {
  generateClientCode(temporary)
  replaceFolder(clientCode, temporary)
  generateRestTypes(temporary)
  replaceFolder(restTypes, temporary)
  return true
}

/**
 * Lints the OpenAPI document with the recommended rules of Spectral and Redocly; warnings fail,
 * too.
 */
function lintOpenApi(): boolean {
  const document = join(temporary, 'openapi.json')
  const ruleset = join(temporary, 'spectral.json')
  writeFileSync(ruleset, JSON.stringify({ extends: ['spectral:oas'] }))
  if (!run('node', 'tools/write-openapi.ts', document)) return false
  const spectral = ['lint', '--ruleset', ruleset, '--fail-severity', 'warn', document]
  const redocly = ['lint', '--extends', 'recommended-strict']
  // /permissions/types/{resource_type} and /permissions/{permission_id}/share are ambiguous to the
  // rule, but no permission ID is `types`.
  redocly.push('--skip-rule', 'no-ambiguous-paths')
  const outcomes = [run('spectral', ...spectral), run('redocly', ...redocly, document)]
  return outcomes.every(Boolean)
}
