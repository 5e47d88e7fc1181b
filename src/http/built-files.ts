import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { brotliCompressSync, gzipSync } from 'node:zlib'

/** A file of a page with its content in each encoding and its entity tag. */
export type BuiltFile = {
  type: string
  tag: string
  bodies: { identity: Buffer; br: Buffer; gzip: Buffer }
}

/** The files of a page by path. All other paths show `page`, the HTML document. */
export type BuiltFiles = { page: BuiltFile; files: Map<string, BuiltFile> }

const types: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.js': 'text/javascript; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
}

/** The element of the page that contains the settings of the server. */
const settingsElement = '<meta name="daikon-settings" content="" />'

/**
 * Reads a build of a page completely into memory. Returns undefined if there is none.
 *
 * @param settings the settings of the server that the page needs; they are embedded as JSON
 */
export function readBuiltFiles(folder: string, settings: object): BuiltFiles | undefined {
  const pagePath = join(folder, 'index.html')
  if (!existsSync(pagePath)) return undefined
  const content = escapeAttribute(JSON.stringify(settings))
  const html = readFileSync(pagePath, 'utf8').replace(settingsElement, () =>
    settingsElement.replace('content=""', `content="${content}"`),
  )
  const names = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && Object.hasOwn(types, extname(entry.name)))
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length))
  return {
    page: compress(Buffer.from(html), '.html'),
    files: new Map(names.map((name) => [toUrlPath(name), readFile(join(folder, name))])),
  }
}

function readFile(path: string): BuiltFile {
  const identity = readFileSync(path)
  const [br, gzip] = [`${path}.br`, `${path}.gz`]
  if (!existsSync(br) || !existsSync(gzip)) return compress(identity, extname(path))
  const bodies = { identity, br: readFileSync(br), gzip: readFileSync(gzip) }
  return { ...describe(identity, extname(path)), bodies }
}

function compress(identity: Buffer, extension: string): BuiltFile {
  const bodies = { identity, br: brotliCompressSync(identity), gzip: gzipSync(identity) }
  return { ...describe(identity, extension), bodies }
}

function describe(identity: Buffer, extension: string) {
  const tag = createHash('sha256').update(identity).digest('base64url').slice(0, 22)
  return { type: types[extension] ?? 'application/octet-stream', tag }
}

function toUrlPath(name: string): string {
  return name.replaceAll('\\', '/')
}

function escapeAttribute(text: string): string {
  return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`)
}
