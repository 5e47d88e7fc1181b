import { statSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { join } from 'node:path'
import { type BuiltFile, type BuiltFiles, readBuiltFiles } from './built-files.ts'
import { securityHeaders } from './security.ts'

/** A page that has been built, with its assets. */
export type BuiltPage = {
  hasBuild: boolean
  /** Sends what a GET or HEAD request asks for; the URL is relative to that of the page. */
  handle: (request: IncomingMessage, response: ServerResponse) => void
}

export type BuiltPageOptions = {
  baseUrl: string
  /** Whether the server is used over https only: enables Strict-Transport-Security. */
  secureCookies: boolean
  /** Whether to show a build that is finished or replaced while the server runs. */
  debug: boolean
}

/** Creates what sends a page from memory. With `debug`, a build that is replaced is read again. */
export function createBuiltPage(
  folder: string,
  settings: object,
  { baseUrl, secureCookies, debug }: BuiltPageOptions,
): BuiltPage & { headers: Record<string, string> } {
  const headers = {
    ...securityHeaders(secureCookies),
    'Content-Security-Policy': createPolicy(baseUrl),
    Vary: 'Accept-Encoding',
  }
  const build = { files: readBuiltFiles(folder, settings), time: readBuildTime(folder) }

  function refreshBuild(): void {
    const time = readBuildTime(folder)
    if (time === build.time) return
    build.time = time
    build.files = readBuiltFiles(folder, settings)
  }

  return {
    headers,
    hasBuild: build.files !== undefined,
    handle(request, response) {
      for (const [name, value] of Object.entries(headers)) response.setHeader(name, value)
      if (request.method !== 'GET' && request.method !== 'HEAD') {
        response.setHeader('Allow', 'GET, HEAD')
        sendText(response, 405, 'Method not allowed; use GET')
        return
      }
      if (debug) refreshBuild()
      if (!build.files) {
        response.setHeader('Refresh', '2')
        sendText(response, 503, 'The page is being built. It reloads itself.')
        return
      }
      sendFile(request, response, build.files)
    },
  }
}

/** Allows content of the page itself and connections to the API, and nothing else. */
function createPolicy(baseUrl: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "font-src 'self'",
    `connect-src 'self' ${new URL(baseUrl).origin}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
}

function readBuildTime(folder: string): number {
  return statSync(join(folder, 'index.html'), { throwIfNoEntry: false })?.mtimeMs ?? 0
}

/**
 * Sends a file of a page. All other paths, except for missing assets, show the page, which
 * handles them itself.
 */
function sendFile(
  request: IncomingMessage,
  response: ServerResponse,
  { page, files }: BuiltFiles,
): void {
  const [path = '/'] = (request.url ?? '/').split('?')
  const file = path === '/index.html' ? page : files.get(path)
  const isAsset = path.startsWith('/assets/')
  if (!file && isAsset) {
    sendText(response, 404, 'Not found')
    return
  }
  // The names of assets contain a hash of their content, so they can be cached indefinitely.
  const caching = isAsset ? 'public, max-age=31536000, immutable' : 'no-cache'
  response.setHeader('Cache-Control', caching)
  sendContent(request, response, file ?? page)
}

function sendContent(request: IncomingMessage, response: ServerResponse, file: BuiltFile): void {
  const encoding = chooseEncoding(request.headers['accept-encoding'] ?? '')
  const tag = `"${file.tag}-${encoding}"`
  response.setHeader('ETag', tag)
  if (matchesTag(request.headers['if-none-match'], tag)) {
    response.writeHead(304).end()
    return
  }
  const body = file.bodies[encoding]
  response.setHeader('Content-Type', file.type)
  response.setHeader('Content-Length', body.length)
  if (encoding !== 'identity') response.setHeader('Content-Encoding', encoding)
  response.writeHead(200).end(request.method === 'HEAD' ? undefined : body)
}

function chooseEncoding(header: string): keyof BuiltFile['bodies'] {
  const accepted = header
    .toLowerCase()
    .split(',')
    .map((part) => part.trim().split(';'))
    .filter(([, quality]) => !/^\s*q=0(\.0*)?$/.test(quality ?? ''))
    .map(([name]) => name)
  if (accepted.includes('br')) return 'br'
  return accepted.includes('gzip') ? 'gzip' : 'identity'
}

function matchesTag(header: string | undefined, tag: string): boolean {
  const tags = (header ?? '').split(',').map((part) => part.trim().replace(/^W\//, ''))
  return tags.includes(tag) || tags.includes('*')
}

export function sendText(response: ServerResponse, status: number, text: string): void {
  response.setHeader('Content-Type', 'text/plain; charset=utf-8')
  response.writeHead(status).end(`${text}\n`)
}
