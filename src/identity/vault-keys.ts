import { createPublicKey, verify } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { ServiceError } from '../core/errors.ts'
import type { Source } from '../core/source.ts'
import { createOutboundClient } from '../outbound/outbound-client.ts'
import { everyHost } from '../outbound/outbound-hosts.ts'
import type { Keys } from './keys.ts'
import { thumbprint, toJwk } from './public-key-file.ts'
import { reasons } from './reasons.ts'
import type { Signer } from './signer.ts'

/** Identifies a key in the transit secrets engine of HashiCorp Vault or OpenBao. */
export type VaultOptions = {
  address: string
  /** The token, or the path of a file that contains it, such as a sink of Vault Agent. */
  token: string | { path: string }
  namespace: string
  /** The path at which the secrets engine is mounted. */
  mount: string
  key: string
  /** The timeout of a signature in milliseconds, 2000 by default. */
  timeout?: number
}

/** A version of the key: its public key and when it was created. */
type KeyVersion = { number: number; kid: string; publicKey: Signer['publicKey']; createdAt: Date }

/** The response of `GET /v1/<mount>/keys/<key>`. */
type KeyResponse = {
  data?: { keys?: Record<string, { public_key?: string; creation_time?: string }> }
}

/**
 * Milliseconds after which every node and every client that caches keys has loaded a new version.
 * See docs/decisions/tokens-and-keys.md#first-use-of-a-new-key-version-in-vault.
 */
const publicationTime = 15 * 60_000

/** The timeout of reading the key, in milliseconds. */
const readTimeout = 5000

/**
 * Creates a source of the versions of a key in Vault. The newest version that is at least 15
 * minutes old signs, or the oldest if all are newer. All versions from `min_decryption_version` on
 * verify.
 */
export function createVaultSource(options: VaultOptions, now: () => Date): Source<Keys> {
  return {
    async read() {
      const path = `keys/${encodeURIComponent(options.key)}`
      const response = (await request(options, path, undefined, readTimeout)) as KeyResponse
      const versions = parseVersions(response, options.key)
      const latestPublished = now().getTime() - publicationTime
      const signing =
        versions.find(({ createdAt }) => createdAt.getTime() <= latestPublished) ?? versions.at(-1)
      if (!signing) throw new Error(`the key ${options.key} has no versions`)
      return {
        version: `${versions.map(({ kid }) => kid)} ${signing.number}`,
        parse: () => ({
          signer: createSigner(options, signing),
          createdAt: signing.createdAt,
          verifying: new Map(versions.map(({ kid, publicKey }) => [kid, publicKey])),
          jwks: versions.map(({ kid, publicKey }) => toJwk({ kid, key: publicKey })),
        }),
      }
    },
  }
}

/** Returns the versions of the key, newest first. */
function parseVersions({ data }: KeyResponse, name: string): KeyVersion[] {
  return Object.entries(data?.keys ?? {})
    .map(([number, { public_key: pem = '', creation_time: time = '' }]) => {
      // Keys of a symmetric type have no public key.
      const publicKey = pem.includes('PUBLIC KEY') ? createPublicKey(pem) : undefined
      if (publicKey?.asymmetricKeyType !== 'rsa')
        throw new Error(`the key ${name} is not an RSA key`)
      const kid = thumbprint(publicKey)
      return { number: Number(number), kid, publicKey, createdAt: new Date(time) }
    })
    .toSorted((one, other) => other.number - one.number)
}

function createSigner(options: VaultOptions, { kid, publicKey, number }: KeyVersion): Signer {
  const path = `sign/${encodeURIComponent(options.key)}/sha2-256`
  return {
    kid,
    publicKey,
    async sign(input) {
      try {
        const body = {
          input: Buffer.from(input).toString('base64'),
          signature_algorithm: 'pkcs1v15',
          key_version: number,
        }
        const response = await request(options, path, body, options.timeout ?? 2000)
        const { data } = response as { data?: { signature?: string } }
        const [, base64 = ''] = /^vault:v\d+:(.+)$/.exec(data?.signature ?? '') ?? []
        const signature = Buffer.from(base64, 'base64')
        if (!verify('sha256', Buffer.from(input), publicKey, signature)) {
          throw new Error('the signature in the response is not valid')
        }
        return signature
      } catch (cause) {
        throw new ServiceError(reasons.SIGNER_UNAVAILABLE, undefined, {
          cause,
          retryAfter: 1,
        })
      }
    },
  }
}

/** The maximum size of a response, in bytes. */
const maxBytes = 1 << 20

const send = createOutboundClient(everyHost, { keepsConnections: true })

/** Sends a request to the secrets engine and returns the JSON of its response. */
async function request(
  { address, token, namespace, mount }: VaultOptions,
  path: string,
  body: object | undefined,
  timeout: number,
): Promise<unknown> {
  const secret = typeof token === 'string' ? token : (await readFile(token.path, 'utf8')).trim()
  const url = `${address}/v1/${mount}/${path}`
  const response = await send(url, {
    method: body ? 'POST' : 'GET',
    headers: {
      'x-vault-token': secret,
      'x-vault-request': 'true',
      ...(namespace && { 'x-vault-namespace': namespace }),
      ...(body && { 'content-type': 'application/json' }),
    },
    ...(body && { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(timeout),
    maxBytes,
  })
  const text = response.body.toString()
  if (response.status !== 200)
    throw new Error(`${url}: status ${response.status}: ${text.slice(0, 200)}`)
  return JSON.parse(text)
}
