import { execFileSync } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { keepConnections } from './keep-connections.ts'

const root = join(import.meta.dirname, '../..')

/** Options of `createDaikonBrowser`, except for the URLs. */
export type BrowserAppOptions = { clientId: string } & Record<string, unknown>

/** A server of pages with the browser client, without a framework. */
export type BrowserApp = {
  url: string
  /** Sets the options of the client that pages below `/<name>/` create. */
  configure(name: string, options: BrowserAppOptions): void
  stop(): Promise<void>
}

/**
 * Builds the browser client and serves pages that run it. A page has the globals `daikon`, the
 * started client; `events`, the events so far; and `failure`, the error of the start.
 */
export async function startBrowserApp(issuer: string): Promise<BrowserApp> {
  const folder = await mkdtemp(join(tmpdir(), 'daikon-browser-app-'))
  const compiler = join(root, 'node_modules/typescript/bin/tsc')
  const project = join(root, 'clients/browser')
  execFileSync(process.execPath, [compiler, '-p', project, '--outDir', folder])
  const configurations = new Map<string, BrowserAppOptions>()
  let url = ''
  const server = createServer(keepConnections, async (request, response) => {
    const [, name = '', file = ''] = new URL(request.url ?? '', url).pathname.split('/')
    if (name === 'client') {
      response.setHeader('content-type', 'text/javascript')
      return response.end(await readFile(join(folder, file)).catch(() => ''))
    }
    const options = { issuer, redirectUri: `${url}/${name}/callback`, ...configurations.get(name) }
    response.setHeader('content-type', 'text/html')
    response.end(configurations.has(name) ? renderPage(options) : '')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  url = `http://localhost:${(server.address() as AddressInfo).port}`
  return {
    url,
    configure: (name, options) => void configurations.set(name, options),
    async stop() {
      server.closeAllConnections()
      server.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

function renderPage(options: object): string {
  return `<!doctype html><meta charset="utf-8"><title>App</title><link rel="icon" href="data:,">
<script type="module">
import * as client from '/client/daikon.js'
window.client = client
window.events = []
window.options = ${JSON.stringify(options)}
window.daikon = client.createDaikonBrowser(options)
daikon.subscribe((event) => events.push(event))
daikon.start().catch((error) => { window.failure = error }).finally(() => { window.isStarted = true })
</script>`
}
