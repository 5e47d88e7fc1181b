import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** `npm run check`: runs every check, even after one has failed. */
const temporary = mkdtempSync(join(tmpdir(), 'daikon-check-'))
const checks: Record<string, () => boolean> = {
  types: () => run('tsc', '--noEmit'),
  'types of the browser client': () => run('tsc', '-p', 'clients/browser', '--noEmit'),
  'types of the admin console': () => run('tsc', '-p', 'console'),
  'lint and format': () => run('biome', 'ci', '--colors=off', '.'),
  'proto lint': () => run('buf', 'lint'),
  'proto format': () => run('buf', 'format', '--diff', '--exit-code', 'proto'),
  'proto breaking': checkBreaking,
  'generated code is up to date': checkGenerated,
  'generated Go code is up to date': checkGeneratedGo,
  'OpenAPI lint': lintOpenApi,
}

const failed = Object.entries(checks).filter(([name, check]) => {
  const passed = check()
  process.stdout.write(`${passed ? 'ok' : 'FAILED'}: ${name}\n`)
  return !passed
})
rmSync(temporary, { recursive: true, force: true })
process.exitCode = failed.length === 0 ? 0 : 1

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

function git(...args: string[]): string | undefined {
  const { status, stdout } = spawnSync('git', args, { encoding: 'utf8' })
  return status === 0 ? stdout.trim() : undefined
}

/**
 * Compares the API with the last release or, before the first release, with the previous commit.
 * Until then, a commit may break the API if its message has a `Breaking-Change:` trailer.
 */
function checkBreaking(): boolean {
  const release = git('describe', '--tags', '--abbrev=0')
  const declared = git('log', '-1', '--format=%(trailers:key=Breaking-Change)')
  if (!release && declared) {
    process.stdout.write(`Not compared: ${declared}\n`)
    return true
  }
  const base = release ?? git('rev-parse', '--verify', '--quiet', 'HEAD~1')
  if (!base || !git('ls-tree', base, 'proto/')) {
    process.stdout.write('There is no earlier version to compare with.\n')
    return true
  }
  const before = mkdtempSync(join(temporary, 'before-'))
  const archive = `git archive ${base} proto buf.yaml | tar x -C ${before}`
  return run('sh', '-c', archive) && run('buf', 'breaking', '--against', before)
}

function checkGenerated(): boolean {
  const health = 'node_modules/grpc-health-check/proto'
  const options = ['--as-file-descriptor-set', '--exclude-source-info']
  const generated = join(temporary, 'generated')
  return (
    run('buf', 'generate', '--output', generated) &&
    run('buf', 'build', '-o', join(generated, 'gen/daikon.binpb'), '--as-file-descriptor-set') &&
    run('buf', 'build', health, '-o', join(generated, 'gen/health.binpb'), ...options) &&
    run('node', 'test/support/generate-browser-types.ts', join(generated, 'gen/browser.ts')) &&
    run('diff', '-r', 'gen', join(generated, 'gen')) &&
    checkGeneratedClient(generated)
  )
}

function checkGeneratedClient(generated: string): boolean {
  const folder = 'clients/typescript/src/gen'
  const template = 'clients/typescript/buf.gen.yaml'
  return (
    run('buf', 'generate', '--template', template, '--output', generated) &&
    run('node', 'test/support/copy-access-rules.ts', join(generated, folder)) &&
    run('diff', '-r', folder, join(generated, folder))
  )
}

/** Passes with a message where Go is missing. */
function checkGeneratedGo(): boolean {
  const generated = join(temporary, 'generated-go')
  const generate = ['test/support/generate-go.ts', '--check', generated]
  const { status } = spawnSync('node', generate, { stdio: 'inherit' })
  if (status === 3) return true
  const folder = 'clients/go/daikonv1'
  return status === 0 && run('diff', '-r', folder, join(generated, folder))
}

/**
 * Lints the OpenAPI document with the recommended rules of Spectral and Redocly; warnings fail,
 * too.
 */
function lintOpenApi(): boolean {
  const document = join(temporary, 'openapi.json')
  const ruleset = join(temporary, 'spectral.json')
  writeFileSync(ruleset, JSON.stringify({ extends: ['spectral:oas'] }))
  if (!run('node', 'test/support/write-openapi.ts', document)) return false
  const spectral = ['lint', '--ruleset', ruleset, '--fail-severity', 'warn', document]
  // The one operation without errors is GET /health.
  const redocly = [
    'lint',
    '--extends',
    'recommended-strict',
    '--skip-rule',
    'operation-4xx-response',
  ]
  const outcomes = [run('spectral', ...spectral), run('redocly', ...redocly, document)]
  return outcomes.every(Boolean)
}
