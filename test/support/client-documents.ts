import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { createCertificateAuthority } from './certificates.ts'

type Handler = (request: IncomingMessage, response: ServerResponse) => void

/** Addresses of this machine that serve as separate hosts. */
export const documentHosts = Array.from({ length: 40 }, (_, index) => `127.0.0.${index + 1}`)

/**
 * Starts an https server for documents of clients on all addresses of `documentHosts`. Its authority is its
 * own, and this process trusts it.
 */
export async function startDocumentServer() {
  const folder = await mkdtemp(join(tmpdir(), 'daikon-client-documents-'))
  const authority = createCertificateAuthority(folder, 'client-documents')
  const names = documentHosts.map((host) => `IP:${host}`)
  const { certificate: cert, key } = authority.issue('documents', names.join(','))
  await rm(folder, { recursive: true })
  setDefaultCACertificates([...getCACertificates('default'), authority.certificate.toString()])
  const handlers = new Map<string, Handler>()
  /** The URLs of the requests that have arrived. */
  const requests: string[] = []
  const server = createServer({ cert, key }, (request, response) => {
    const url = `https://${request.headers.host}${request.url}`
    requests.push(url)
    const handle = handlers.get(url)
    if (handle) handle(request, response)
    else response.writeHead(404).end()
  })
  server.on('tlsClientError', () => {})
  server.listen(0, '0.0.0.0')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo

  /** Returns the URL of a new client. */
  const createUrl = (host = '127.0.0.1') => `https://${host}:${port}/${randomUUID()}/client.json`

  return {
    port,
    requests,
    createUrl,
    serve: (url: string, handle: Handler) => handlers.set(url, handle),
    /** Serves a document. Returns the URL of its client. `document` and `headers` replace members. */
    publish(document: object = {}, headers: Record<string, string> = {}, url = createUrl()) {
      const all = {
        client_id: url,
        redirect_uris: [redirectUri],
        client_name: 'Editor',
        ...document,
      }
      handlers.set(url, (_request, response) => {
        response.writeHead(200, { 'content-type': 'application/json', ...headers })
        response.end(JSON.stringify(all))
      })
      return url
    },
    countOf: (url: string) => requests.filter((one) => one === url).length,
    async stop() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}

/** The redirect URI of the documents. */
export const redirectUri = 'https://editor.example.com/callback'
