import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { keepConnections } from './keep-connections.ts'

/**
 * Starts an OpenID Connect provider on loopback that can be discovered, but signs nobody in. It does not
 * keep the process running. Returns its issuer.
 */
export async function startStubIssuer(): Promise<string> {
  const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const key = { ...publicKey.export({ format: 'jwk' }), kid: 'key' }
  const server = createServer(keepConnections, (request, response) => {
    const document = {
      ...{ issuer, authorization_endpoint: `${issuer}/authorize` },
      ...{ token_endpoint: `${issuer}/token`, jwks_uri: `${issuer}/jwks` },
    }
    const body = request.url === '/jwks' ? { keys: [key] } : document
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  server.unref()
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return issuer
}
