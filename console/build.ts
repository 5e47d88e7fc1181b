import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { build } from 'vite'

/**
 * `npm run console:build`: builds the admin console into `console/dist` and the account page into
 * `console/dist-account`, with a Brotli and a gzip variant of each asset. A server that runs never sees a
 * half-written build: the folders are replaced at the end.
 */
const folder = import.meta.dirname
const compressible = ['.css', '.js', '.svg']

// Otherwise, a build that a test starts would contain the development version of React.
process.env.NODE_ENV = 'production'

await buildPage('dist', 'index.html', '/')
await buildPage('dist-account', 'account.html', '/account/')

async function buildPage(name: string, page: string, base: string): Promise<void> {
  const target = join(folder, name)
  const temporary = join(folder, `dist-${process.pid}-${name}`)
  try {
    await build({
      configFile: join(folder, 'vite.config.ts'),
      logLevel: 'warn',
      base,
      build: { outDir: temporary, rolldownOptions: { input: join(folder, page) } },
    })
    renameSync(join(temporary, page), join(temporary, 'index.html'))
    compressAssets(temporary)
    rmSync(target, { recursive: true, force: true })
    renameSync(temporary, target)
  } finally {
    rmSync(temporary, { recursive: true, force: true })
  }
}

function compressAssets(temporary: string): void {
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
