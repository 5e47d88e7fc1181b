import { createHash } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type Plugin, rolldown } from 'rolldown'
import { buildOnce, keepPaths } from './bundle-cache.ts'

const root = join(import.meta.dirname, '..')

/** What use-bundled-packages.ts reads. All names are URLs of files. */
export type SourceIndex = {
  /** The program and the test files that load the server or its entities. What else starts a thread loads its few modules. */
  entries: string[]
  /** The modules of the server, with the module in the folder that has the same exports. */
  modules: Record<string, string>
}

/** The module that composes the server. What it imports is bundled. */
const server = 'src/server/application.ts'

/** The module with the entities, of which a thread must not load a second copy beside that of the server. */
const entities = 'src/database/orm.ts'

const bundleId = '\0sources'

/**
 * Bundles the modules that the server consists of, unless that has happened since they were changed. Each test
 * file is a thread, and each server a process, that loads a thousand of them. Returns the file of the index.
 */
export async function bundleSources(): Promise<string> {
  const files = globSync('{src,gen,test}/**/*.ts', { cwd: root, exclude: ['**/node_modules'] })
  const imports = new Map(files.map((file) => [file, listImports(file)]))
  const found = new Set<string>()
  const collect = (file: string) => {
    if (found.has(file) || !file.endsWith('.ts')) return
    found.add(file)
    for (const imported of imports.get(file) ?? []) collect(imported)
  }
  collect(server)
  const sources = [...found].sort()
  const known = new Map([server, entities].map((file) => [file, true]))
  const loadsServer = (file: string): boolean => {
    const loads = known.get(file) ?? (imports.get(file) ?? []).some(loadsServer)
    known.set(file, loads)
    return loads
  }
  const tests = files.filter((file) => file.endsWith('.test.ts') && loadsServer(file))
  const version = createHash('sha256').update([root, ...tests].join())
  const own = ['package-lock.json', 'tools/bundle-cache.ts', 'tools/bundled-sources.ts']
  for (const file of [...own, ...sources])
    version.update(`${file}\n`).update(readFileSync(join(root, file)))
  const indexName = 'index.json'
  const folder = await buildOnce('sources', version, async (temporary, folder) => {
    await bundle(sources, temporary)
    const urlOf = (file: string) => pathToFileURL(join(root, file)).href
    const modules = sources.map((file, position) => [
      urlOf(file),
      pathToFileURL(join(folder, `${position}.js`)).href,
    ])
    const index: SourceIndex = {
      entries: ['src/main.ts', ...tests].map(urlOf),
      modules: Object.fromEntries(modules),
    }
    await writeFile(join(temporary, indexName), JSON.stringify(index))
  })
  return join(folder, indexName)
}

/** Returns the files that a file loads, also those that it loads later. */
function listImports(file: string): string[] {
  const source = readFileSync(join(root, file), 'utf8')
  const statements =
    /^(?:import|export) (?!type )[^'"]*?from ['"](\.[^'"]+\.ts)['"]|\bimport\('(\.[^']+)'\)/gm
  return [...source.matchAll(statements)].map(([, path, later]) =>
    relative(root, join(root, dirname(file), path ?? later ?? '')),
  )
}

/** Writes one module with all sources, and one for each that exports what the source does. */
async function bundle(sources: string[], folder: string): Promise<void> {
  const build = await rolldown({
    cwd: root,
    platform: 'node',
    input: { sources: bundleId },
    plugins: [resolveSources(sources), keepPaths],
    treeshake: false,
    logLevel: 'silent',
  })
  await build.write({ dir: folder, entryFileNames: '[name].js', codeSplitting: false })
  await build.close()
  await writeFile(join(folder, 'package.json'), '{"type":"module"}')
  const bundled = await import(join(folder, 'sources.js'))
  for (const [position] of sources.entries()) {
    const names = Object.keys(bundled[nameOf(position)]).join(', ')
    const source = `import { ${nameOf(position)} as source } from './sources.js'
export const { ${names} } = source\n`
    await writeFile(join(folder, `${position}.js`), source)
  }
}

const nameOf = (position: number) => `source${position}`

function resolveSources(sources: string[]): Plugin {
  const paths = new Set(sources.map((file) => join(root, file)))
  return {
    name: 'sources',
    resolveId(id, importer) {
      if (id === bundleId || paths.has(id)) return id
      if (importer === undefined || !id.startsWith('.')) return { id, external: true }
      const path = join(dirname(importer), id)
      return paths.has(path) ? path : { id: pathToFileURL(path).href, external: true }
    },
    load(id) {
      if (id !== bundleId) return
      const lines = sources.map(
        (file, position) => `export * as ${nameOf(position)} from '${join(root, file)}'`,
      )
      return lines.join('\n')
    },
  }
}
