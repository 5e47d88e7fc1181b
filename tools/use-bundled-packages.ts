import { readdirSync, readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { SourceIndex } from './bundled-sources.ts'

// Loaded by `npm test` in the thread of each test file, and in the processes that tests start: imports of the
// project load packages from the folder of bundled-packages.ts, and sources from that of bundled-sources.ts.
const { BUNDLED_PACKAGES: folder, BUNDLED_SOURCES: index } = process.env
if (folder) {
  const urls = new Map(
    readdirSync(folder).map((file) => [
      file.replace(/\.js$/, '').replaceAll('+', '/'),
      pathToFileURL(join(folder, file)).href,
    ]),
  )
  const { entries, modules }: SourceIndex = index
    ? JSON.parse(readFileSync(index, 'utf8'))
    : { entries: [], modules: {} }
  let loadsServer = false
  registerHooks({
    resolve(specifier, context, next) {
      const { parentURL } = context
      const isBundle = parentURL?.includes('/node_modules/.cache/sources-')
      if (parentURL?.includes('/node_modules/') && !isBundle && !specifier.startsWith('file:'))
        return next(specifier, context)
      const isSource = /^\.\.?\/.*\.ts$/.test(specifier)
      const href = parentURL && isSource ? new URL(specifier, parentURL).href : specifier
      // A file that shares a thread has a query (load-test-groups.ts).
      loadsServer ||= entries.includes(href.replace(/\?.*/, ''))
      const source = loadsServer ? modules[href] : undefined
      if (source) return { url: source, format: 'module', shortCircuit: true }
      // Without looking for the file and its package.json, which takes a third of the time to load it.
      if (parentURL && isSource)
        return { url: href, format: 'module-typescript', shortCircuit: true }
      const url = urls.get(specifier)
      if (url === undefined) return next(specifier, context)
      return { url, format: 'module', shortCircuit: true }
    },
  })
}
