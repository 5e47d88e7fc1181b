import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { build } from 'vite'

/**
 * `npm run console:build`: builds the admin console into `console/dist`, with a Brotli and a gzip variant of
 * each asset. A server that runs never sees a half-written build: the folder is replaced at the end.
 */
const folder = import.meta.dirname
const target = join(folder, 'dist')
const temporary = join(folder, `dist-${process.pid}`)
const compressible = ['.css', '.js', '.svg']

// Otherwise, a build that a test starts would contain the development version of React.
process.env.NODE_ENV = 'production'

try {
  await build({
    configFile: join(folder, 'vite.config.ts'),
    logLevel: 'warn',
    build: { outDir: temporary },
  })
  compressAssets()
  rmSync(target, { recursive: true, force: true })
  renameSync(temporary, target)
} finally {
  rmSync(temporary, { recursive: true, force: true })
}

function compressAssets(): void {
  const entries = readdirSync(temporary, { recursive: true, withFileTypes: true })
  for (const entry of entries) {
    if (!entry.isFile() || !compressible.includes(extname(entry.name))) continue
    const path = join(entry.parentPath, entry.name)
    const content = readFileSync(path)
    const params = { [constants.BROTLI_PARAM_SIZE_HINT]: content.length }
    writeFileSync(`${path}.br`, brotliCompressSync(content, { params }))
    writeFileSync(`${path}.gz`, gzipSync(content, { level: 9 }))
  }
}
