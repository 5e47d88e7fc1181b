import { constants, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { keepConnections } from './keep-connections.ts'

/** The behavior of the server. `hang` never responds, `padded` sends 2 MiB of spaces first. */
export type VaultMode = 'ok' | 'forbidden' | 'error' | 'hang' | 'pss' | 'garbage' | 'padded'

/**
 * Starts a substitute for the transit secrets engine of Vault. It rejects every request that Vault
 * would reject because of its token, namespace, path or body.
 */
export async function startVaultServer({
  token = 'hvs.secret',
  namespace = 'team',
  key = 'daikon',
} = {}) {
  const versions: { privateKey: KeyObject; publicPem: string; createdAt: Date }[] = []
  const state = { mode: 'ok' as VaultMode, token, signatures: 0, minVersion: 1 }

  function readKey() {
    const keys = versions.map(({ publicPem, createdAt }, index) => [
      index + 1,
      { name: 'rsa-2048', public_key: publicPem, creation_time: createdAt.toISOString() },
    ])
    const data = {
      type: 'rsa-2048',
      latest_version: versions.length,
      keys: Object.fromEntries(keys.slice(state.minVersion - 1)),
    }
    return { status: 200, body: { data } }
  }

  async function signInput(request: IncomingMessage) {
    const body = (await json(request)) as Record<string, unknown>
    const { input, signature_algorithm, key_version, ...rest } = body
    const version = versions[Number(key_version) - 1]
    const isBase64 = typeof input === 'string' && /^[A-Za-z0-9+/]+={0,2}$/.test(input)
    if (!isBase64 || !version || signature_algorithm !== 'pkcs1v15' || Object.keys(rest).length > 0)
      return { status: 400, body: { errors: [`invalid request ${JSON.stringify(body)}`] } }
    state.signatures += 1
    const padding =
      state.mode === 'pss' ? constants.RSA_PKCS1_PSS_PADDING : constants.RSA_PKCS1_PADDING
    const data = Buffer.from(input, 'base64')
    const bytes = sign('sha256', data, { key: version.privateKey, padding })
    const signature =
      state.mode === 'garbage' ? 'nonsense' : `vault:v${key_version}:${bytes.toString('base64')}`
    return { status: 200, body: { data: { signature, key_version } } }
  }

  async function respond(request: IncomingMessage) {
    const { headers } = request
    const isAllowed =
      headers['x-vault-token'] === state.token && headers['x-vault-namespace'] === namespace
    if (!isAllowed || state.mode === 'forbidden')
      return { status: 403, body: { errors: ['permission denied'] } }
    if (state.mode === 'error') return { status: 503, body: { errors: ['Vault is sealed'] } }
    const route = `${request.method} ${request.url}`
    if (route === `GET /v1/transit/keys/${key}`) return readKey()
    if (route === `POST /v1/transit/sign/${key}/sha2-256`) return signInput(request)
    return { status: 404, body: { errors: [] } }
  }

  const server = createServer(keepConnections, async (request, response) => {
    if (state.mode === 'hang') return
    const { status, body } = await respond(request)
    response.writeHead(status, { 'content-type': 'application/json' })
    if (state.mode === 'padded') response.write(' '.repeat(2 << 20))
    response.end(JSON.stringify(body))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    state,
    options: {
      address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      mount: 'transit',
      token,
      namespace,
      key,
    },
    /** Adds a version to the key, as `vault write -f transit/keys/daikon/rotate` does. */
    rotate(createdAt: Date) {
      const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
      const publicPem = publicKey.export({ type: 'spki', format: 'pem' }).toString()
      versions.push({ privateKey, publicPem, createdAt })
    },
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}
