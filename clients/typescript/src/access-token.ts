import type { DaikonError } from './errors.ts'
import type { AccessTokenClaims } from './results.ts'
import { type AcceptedTokens, requireAccepted, toClaims } from './token-audience.ts'
import { decodeBase64Url, decodeToken, tokenExpired, tokenInvalid } from './token-format.ts'

/** A key of Web Crypto. */
type VerificationKey = Awaited<ReturnType<typeof importKey>>

/** The public keys of an issuer, by `kid`. */
type KeySet = { issuer: string; keys: Map<string, VerificationKey>; loadedAt: number }

type TokenVerifier = {
  verify(token: string, accepted: AcceptedTokens): Promise<AccessTokenClaims>
  /** Returns the issuer of the tokens that are accepted. */
  readIssuer(): Promise<string>
}

/** A public key in JSON Web Key format (RFC 7517). */
type PublicKey = { kid: string; kty: string; n: string; e: string }

/** RS256 (RFC 7518, section 3.3). */
const algorithm = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' }

const maxAgeMs = 5 * 60_000

/** Limits how often forged tokens can make the verifier reload the keys. */
const minReloadMs = 5000

/**
 * Creates a verifier that caches the keys. `load` returns the issuer and its keys. If `issuer` is
 * defined, only that issuer is accepted.
 */
export function createTokenVerifier(
  load: () => Promise<{ issuer: string; keys: PublicKey[] }>,
  issuer: string | undefined,
): TokenVerifier {
  let current: KeySet | undefined
  let loading: Promise<KeySet> | undefined
  let lastAttempt = Number.NEGATIVE_INFINITY

  function reload(): Promise<KeySet> {
    lastAttempt = performance.now()
    loading ??= load()
      .then(async ({ issuer, keys }) => {
        const imported = keys.map(async (key) => [key.kid, await importKey(key)] as const)
        current = {
          issuer,
          keys: new Map(await Promise.all(imported)),
          loadedAt: performance.now(),
        }
        return current
      })
      .finally(() => {
        loading = undefined
      })
    return loading
  }

  /**
   * Returns the cached keys, reloading them if they are old. If reloading fails, the old keys
   * remain in use.
   */
  async function readKeySet(): Promise<KeySet> {
    if (!current) return reload()
    if (performance.now() - current.loadedAt < maxAgeMs) return current
    if (performance.now() - lastAttempt < minReloadMs) return current
    const known = current
    return reload().catch((_error: DaikonError) => known)
  }

  async function findKey(
    kid: unknown,
  ): Promise<{ key: VerificationKey; issuer: string } | undefined> {
    if (typeof kid !== 'string') return undefined
    let set = await readKeySet()
    if (!set.keys.has(kid) && performance.now() - lastAttempt >= minReloadMs) set = await reload()
    const key = set.keys.get(kid)
    return key && { key, issuer: set.issuer }
  }

  async function verify(token: string, accepted: AcceptedTokens): Promise<AccessTokenClaims> {
    const decoded = decodeToken(token)
    if (!decoded) throw tokenInvalid('it is not a JSON Web Token')
    const { header, claims, signed, signature } = decoded
    if (header.alg !== 'RS256') throw tokenInvalid('it is not a daikon access token')
    const found = await findKey(header.kid)
    if (!found)
      throw tokenInvalid('daikon has no key of this kid. Was it issued by another daikon?')
    if (!(await isSigned(found.key, signed, signature)))
      throw tokenInvalid('the signature does not match')
    if (claims.iss !== found.issuer || (issuer !== undefined && claims.iss !== issuer))
      throw tokenInvalid(
        `its issuer is ${JSON.stringify(claims.iss)}, not ${issuer ?? found.issuer}`,
      )
    requireAccepted(decoded, accepted)
    if (typeof claims.exp !== 'number') throw tokenInvalid('it has no exp')
    if (claims.exp * 1000 <= Date.now()) throw tokenExpired()
    return toClaims(claims)
  }

  return { verify, readIssuer: async () => issuer ?? (await readKeySet()).issuer }
}

function importKey({ kty, n, e }: PublicKey) {
  return crypto.subtle.importKey('jwk', { kty, n, e }, algorithm, false, ['verify'])
}

async function isSigned(key: VerificationKey, text: string, signature: string): Promise<boolean> {
  try {
    const bytes = new TextEncoder().encode(text)
    return await crypto.subtle.verify(algorithm, key, decodeBase64Url(signature), bytes)
  } catch {
    return false
  }
}
