import { createHash } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Plugin, rolldown } from 'rolldown'
import { buildOnce, keepPaths } from './bundle-cache.ts'

const root = join(import.meta.dirname, '..')

/**
 * Packages that the server consists of. Each test file is a thread that loads a thousand modules of them, which takes
 * longer than most tests.
 */
const packages = [
  '@bufbuild/cel',
  '@bufbuild/cel-spec',
  '@bufbuild/protobuf',
  '@bufbuild/re2',
  '@fastify/busboy',
  '@grpc/grpc-js',
  '@grpc/reflection',
  '@mikro-orm/core',
  '@mikro-orm/migrations',
  '@mikro-orm/postgresql',
  '@opentelemetry/api',
  '@simplewebauthn/server',
  'ajv',
  'cors',
  'csv-parse',
  'express',
  'grpc-health-check',
  'jose',
  'lru-cache',
  'nodemailer',
  'oauth4webapi',
  'pg',
  'pg-boss',
  'prom-client',
  'protobufjs',
  'uuid',
]

/** What these packages import only if it is installed. */
const optional = [/^node:/, 'pg-native', /^@mikro-orm\/(?!core|sql|postgresql|migrations)/]

const entryPrefix = '\0entry:'

/**
 * Bundles the packages, unless that has happened since they were installed. Returns the folder with a module for each
 * specifier that the project imports.
 */
export async function bundlePackages(): Promise<string> {
  const version = createHash('sha256')
  for (const file of ['package-lock.json', 'tools/bundle-cache.ts', 'tools/bundled-packages.ts'])
    version.update(readFileSync(join(root, file)))
  const specifiers = findSpecifiers()
  version.update([root, ...specifiers].join())
  return buildOnce('packages', version, async (folder) => {
    const bundle = await rolldown({
      cwd: root,
      platform: 'node',
      input: Object.fromEntries(
        specifiers.map((specifier) => [specifier.replaceAll('/', '+'), entryPrefix + specifier]),
      ),
      external: optional,
      plugins: [await createEntries(specifiers), keepPaths],
      logLevel: 'silent',
    })
    await bundle.write({
      dir: folder,
      sanitizeFileName: false,
      entryFileNames: '[name].js',
      chunkFileNames: 'chunks/[name]-[hash].js',
    })
    await bundle.close()
  })
}

/** Returns the specifiers that the project imports from the packages. */
function findSpecifiers(): string[] {
  const found = new Set<string>()
  // The applications and clients that tests install have packages of their own.
  const options = { cwd: root, exclude: ['**/node_modules'] }
  for (const file of globSync('{src,gen,test,tools}/**/*.ts', options)) {
    const source = readFileSync(join(root, file), 'utf8')
    for (const [, specifier = ''] of source.matchAll(/\bfrom '([^'.][^']*)'/g))
      if (packages.some((name) => specifier === name || specifier.startsWith(`${name}/`)))
        found.add(specifier)
  }
  return [...found].sort()
}

/** Creates modules with the exports of the specifiers. Those of CommonJS are known only after they have run. */
async function createEntries(specifiers: string[]): Promise<Plugin> {
  const sources = new Map<string, string>()
  for (const specifier of specifiers) {
    const names = Object.keys(await import(specifier)).filter((name) => /^\w+$/.test(name))
    sources.set(entryPrefix + specifier, `export { ${names.join(', ')} } from '${specifier}'`)
  }
  return {
    name: 'entries',
    resolveId: (id) => (sources.has(id) ? id : undefined),
    load: (id) => sources.get(id),
  }
}
