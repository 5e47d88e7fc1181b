import { existsSync, readFileSync, statSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { extname, join } from 'node:path'
import { type LocalServer, startLocalServer } from './local-server.ts'

const site = join(import.meta.dirname, '../../site')
const types: Record<string, string> = {
  '.css': 'text/css',
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
  '.webp': 'image/webp',
}

/**
 * Starts a server of the last `npm run docs:build`, below the base path of that build. Returns
 * undefined in the published package, which does not contain the site.
 */
export async function startDocsSite({
  port,
  folder = join(site, 'dist'),
}: {
  port: number
  folder?: string
}): Promise<LocalServer | undefined> {
  return existsSync(join(site, 'package.json'))
    ? startLocalServer(port, (request, response) => handle(folder, request, response))
    : undefined
}

function handle(folder: string, { url = '/' }: IncomingMessage, response: ServerResponse): void {
  const home = readFile(join(folder, 'index.html'))
  if (!home) {
    send(response, 503, '.txt', 'Run `npm run docs:build`, and reload this page.\n')
    return
  }
  const [, base = '/'] = /href="([^":]*\/)assets\//.exec(home.toString()) ?? []
  const { pathname } = new URL(url, 'http://localhost')
  if (!pathname.startsWith(base)) {
    response.writeHead(302, { location: base }).end()
    return
  }
  const path = pathname.slice(base.length).replace(/(^|\/)$/, '$1index.html')
  const file = readFile(join(folder, path))
  if (file) send(response, 200, extname(path), file)
  else send(response, 404, '.html', readFile(join(folder, '404.html')) ?? '')
}

/** Reads a file. The paths of URLs have no `..` segments that lead out of the folder. */
function readFile(path: string): Buffer | undefined {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ? readFileSync(path) : undefined
}

function send(
  response: ServerResponse,
  status: number,
  extension: string,
  body: string | Buffer,
): void {
  const type = types[extension] ?? 'text/plain'
  response.writeHead(status, { 'content-type': `${type}; charset=utf-8` }).end(body)
}
