import { readdirSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

// Loaded by `npm test` in the thread of each test file: imports of the project load packages from the folder of
// bundled-packages.ts.
const folder = process.env.BUNDLED_PACKAGES
if (folder) {
  const urls = new Map(
    readdirSync(folder).map((file) => [
      file.replace(/\.js$/, '').replaceAll('+', '/'),
      pathToFileURL(join(folder, file)).href,
    ]),
  )
  registerHooks({
    resolve(specifier, context, next) {
      const { parentURL } = context
      if (parentURL?.includes('/node_modules/')) return next(specifier, context)
      // Without looking for the file and its package.json, which takes a third of the time to load it.
      if (parentURL && /^\.\.?\/.*\.ts$/.test(specifier)) {
        const { href } = new URL(specifier, parentURL)
        return { url: href, format: 'module-typescript', shortCircuit: true }
      }
      const url = urls.get(specifier)
      if (url === undefined) return next(specifier, context)
      return { url, format: 'module', shortCircuit: true }
    },
  })
}
