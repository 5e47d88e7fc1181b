import { statSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { join } from 'node:path'
import { type ConsoleFile, type ConsoleFiles, readConsoleFiles } from './console-files.ts'
import { createHttpListener, type HttpListener } from './listener.ts'
import { checkHost, deriveAllowedHosts, securityHeaders } from './security.ts'

export type ConsoleOptions = {
  /** The folder of the build; defaults to the build in this package. */
  folder?: string
  baseUrl: string
  adminUrl: string
  /** The host and port at which services reach the gRPC server. */
  grpcAddress: string
  isGrpcEncrypted: boolean
  /** Allowed Host headers; `*` allows any. If empty, the hosts of `baseUrl` and `adminUrl`. */
  allowedHosts: string[]
  /** Whether the server is used over https only: enables Strict-Transport-Security. */
  secureCookies: boolean
  /** Whether to show a build that is finished or replaced while the server runs. */
  debug: boolean
  /** The ID of the client app of the workspace console. */
  workspaceClientId: string
  /** The identity providers that administrators can sign in with. */
  providers: { name: string; title: string }[]
  /** The names of what the server can do, by which the page chooses its screens. */
  features: string[]
}

/** The server of the static files of the admin console. */
export type ConsoleServer = HttpListener & { hasBuild: boolean }

const defaultFolder = join(import.meta.dirname, '../../console/dist')

/** A page that has been built, with its assets. */
export type BuiltPage = {
  hasBuild: boolean
  /** Sends what a GET or HEAD request asks for; the URL is relative to that of the page. */
  handle: (request: IncomingMessage, response: ServerResponse) => void
}

/** Creates what sends a page from memory. With `debug`, a build that is replaced is read again. */
export function createBuiltPage(
  folder: string,
  settings: object,
  { baseUrl, secureCookies, debug }: Pick<ConsoleOptions, 'baseUrl' | 'secureCookies' | 'debug'>,
): BuiltPage & { headers: Record<string, string> } {
  const headers = {
    ...securityHeaders(secureCookies),
    'Content-Security-Policy': createPolicy(baseUrl),
    Vary: 'Accept-Encoding',
  }
  const build = { files: readConsoleFiles(folder, settings), time: readBuildTime(folder) }

  function refreshBuild(): void {
    const time = readBuildTime(folder)
    if (time === build.time) return
    build.time = time
    build.files = readConsoleFiles(folder, settings)
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

/** Creates the server of the admin console: a single page and its assets, from memory. */
export function createConsoleServer(options: ConsoleOptions): ConsoleServer {
  const { baseUrl, adminUrl, debug, providers, folder = defaultFolder } = options
  const settings = {
    base_url: baseUrl,
    grpc_address: options.grpcAddress,
    grpc_encrypted: options.isGrpcEncrypted,
    debug,
    workspace_client_id: options.workspaceClientId,
    providers,
    features: options.features,
  }
  const allowedHosts =
    options.allowedHosts.length > 0 ? options.allowedHosts : deriveAllowedHosts(baseUrl, adminUrl)
  const { headers, hasBuild, handle } = createBuiltPage(folder, settings, options)

  function handleChecked(request: IncomingMessage, response: ServerResponse): void {
    const error = checkHost(request, allowedHosts)
    if (!error) return handle(request, response)
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value)
    sendText(response, 400, error.message)
  }

  return { ...createHttpListener(handleChecked, headers), hasBuild }
}

/** Allows content of the console itself and connections to the API, and nothing else. */
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
 * Sends a file of the console. All other paths, except for missing assets, show the page, which
 * handles them itself.
 */
function sendFile(
  request: IncomingMessage,
  response: ServerResponse,
  { page, files }: ConsoleFiles,
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

function sendContent(request: IncomingMessage, response: ServerResponse, file: ConsoleFile): void {
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

function chooseEncoding(header: string): keyof ConsoleFile['bodies'] {
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

function sendText(response: ServerResponse, status: number, text: string): void {
  response.setHeader('Content-Type', 'text/plain; charset=utf-8')
  response.writeHead(status).end(`${text}\n`)
}
