import { createPublicKey, hash, type KeyObject } from 'node:crypto'
import type { JWK } from 'jose'

/**
 * A key in the file at JWT_PUBLIC_KEY_PATH. Its dates are lines of text before the key, which PEM
 * parsers ignore (RFC 7468, 2). A file that another program wrote has no dates.
 */
export type PublicKeyEntry = {
  /** The thumbprint of the key (RFC 7638). */
  kid: string
  key: KeyObject
  /** When the key was added to the file. */
  published?: Date | undefined
  /** When tokens were first signed with the key. */
  signing?: Date | undefined
  /** When another key began to sign. */
  retired?: Date | undefined
}

const dateNames = ['published', 'signing', 'retired'] as const

const pemBlock = /-----BEGIN PUBLIC KEY-----[^-]+-----END PUBLIC KEY-----/g

/** Parses the keys of the file, in their order. Throws if one of them is invalid. */
export function parsePublicKeys(text: string): PublicKeyEntry[] {
  let position = 0
  return [...text.matchAll(pemBlock)].map(({ 0: pem, index }) => {
    const preamble = text.slice(position, index)
    position = index + pem.length
    const key = createPublicKey(pem)
    return { kid: thumbprint(key), key, ...parseDates(preamble) }
  })
}

/** Formats the file, one block per key. */
export function formatPublicKeys(entries: PublicKeyEntry[]): string {
  return entries
    .map((entry) => {
      const dates = dateNames.flatMap((name) => {
        const date = entry[name]
        return date ? [`${name}: ${date.toISOString()}`] : []
      })
      const pem = entry.key.export({ type: 'spki', format: 'pem' })
      return [`kid: ${entry.kid}`, ...dates, pem].join('\n')
    })
    .join('\n')
}

/** Returns the key ID of an RSA public key: its SHA-256 thumbprint (RFC 7638). */
export function thumbprint(key: KeyObject): string {
  const { e, kty, n } = key.export({ format: 'jwk' })
  return hash('sha256', JSON.stringify({ e, kty, n }), 'base64url')
}

/** Returns a key in the format of `/.well-known/jwks.json` (RFC 7517). */
export function toJwk({ key, kid }: Pick<PublicKeyEntry, 'key' | 'kid'>): JWK {
  const { e, kty, n } = key.export({ format: 'jwk' })
  return { kty, n, e, kid, alg: 'RS256', use: 'sig' } as JWK
}

function parseDates(preamble: string): Partial<PublicKeyEntry> {
  const dates: Partial<PublicKeyEntry> = {}
  for (const name of dateNames) {
    const [, text = ''] = new RegExp(`^${name}: (\\S+)\\s*$`, 'm').exec(preamble) ?? []
    const date = new Date(text)
    if (!Number.isNaN(date.getTime())) dates[name] = date
  }
  return dates
}
