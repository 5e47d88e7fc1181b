import { spawnSync } from 'node:child_process'
import { globSync } from 'node:fs'
import { findCompose } from '../test/support/compose.ts'

/**
 * `npm run test:containers [-- <files>]`: builds the image and tests it, the compose files and an
 * installation on a bare machine. Passes with a message where no container engine runs.
 */
process.exitCode = runAll(process.argv.slice(2))

function runAll(args: string[]): number {
  if (run('docker', ['info', '--format', '{{.ServerVersion}}']) !== 0) {
    process.stdout.write('Not tested: no container engine is available\n')
    return 0
  }
  removeLeftovers()
  const compose = findCompose()
  if (!compose) process.stdout.write('Not tested with compose: run tools/containers/install\n')
  const files = globSync('test/containers/*.test.ts')
  const runnable = files.filter((file) => compose || !file.endsWith('compose.test.ts'))
  const hasBuildKit = spawnSync('docker', ['buildx', 'version']).status === 0
  const settings = hasBuildKit ? {} : { DOCKER_BUILDKIT: '0' }
  const build = ['build', '--network', 'host', '--tag', 'daikon', '.']
  return (
    run('tools/containers/build-base-images', ['--bare']) ||
    run('docker', build, settings) ||
    run(process.execPath, [
      'tools/run-tests.ts',
      '--concurrency=1',
      // Containers start slowly beside other tests.
      '--timeout=20m',
      ...(args.length > 0 ? args : runnable),
    ])
  )
}

/** Removes what ended runs have left, because a container engine that starts again also starts their containers. */
function removeLeftovers(): void {
  const filter = ['--filter', 'name=daikon-test-']
  for (const { list, remove } of [
    { list: ['ps', '--all'], remove: ['rm', '--force', '--volumes'] },
    { list: ['network', 'ls'], remove: ['network', 'rm'] },
    { list: ['volume', 'ls'], remove: ['volume', 'rm'] },
  ]) {
    const { stdout } = spawnSync('docker', [...list, '--quiet', ...filter], { encoding: 'utf8' })
    const ids = stdout.split('\n').filter(Boolean)
    if (ids.length > 0) run('docker', [...remove, ...ids])
  }
}

/** Runs a command and returns its exit status. */
function run(command: string, args: string[], settings: Record<string, string> = {}): number {
  const env = { ...process.env, ...settings }
  return spawnSync(command, args, { stdio: 'inherit', env }).status ?? 1
}
