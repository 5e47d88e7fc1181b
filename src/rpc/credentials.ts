import { hash } from 'node:crypto'
import { ServiceError } from '../core/errors.ts'
import type { Token } from '../identity/claims.ts'
import { hashServiceKey } from '../identity/service-keys.ts'
import type { Tokens } from '../identity/tokens.ts'
import type { Credentials } from './call.ts'
import type { Tier } from './method.ts'

/** What each tier asks for: the type of a token, a service key (specification 5.1). */
const needs: Record<Tier, { token?: 'access' | 'admin_access'; service?: true }> = {
  public: {},
  user: { token: 'access' },
  service: { service: true },
  dual: { token: 'access', service: true },
  admin: { token: 'admin_access' },
}

/** Whom credentials name; whether they still hold is asked of the database at each call. */
export type VerifiedCredentials = {
  user?: Token<'access'> | undefined
  admin?: Token<'admin_access'> | undefined
  /** The tier asks for a service key. */
  service?: true | undefined
  /** Of the service key, if one was shown. */
  keyHash?: string | undefined
}

/** Reads what the tier asks for, at once where it is remembered; throws unauthenticated. */
export type VerifyCredentials = (
  tier: Tier,
  credentials: Credentials,
  now: Date,
) => VerifiedCredentials | Promise<VerifiedCredentials>

/** The most tokens whose verified signature is remembered. */
const mostRemembered = 50_000

/**
 * Recognizes credentials. Those of a verified token are remembered by their SHA-256, never
 * themselves, and never past the token's expiry.
 */
export function createCredentialsVerifier(tokens: Tokens): VerifyCredentials {
  const remembered = new Map<string, VerifiedCredentials & { until: number }>()

  function remember(digest: string, recognized: VerifiedCredentials & { until: number }) {
    if (remembered.size >= mostRemembered) {
      const [oldest] = remembered.keys()
      if (oldest) remembered.delete(oldest)
    }
    remembered.set(digest, recognized)
  }

  async function verify(tier: Tier, credentials: Credentials, digest: string) {
    const { token, service } = needs[tier]
    const user =
      token === 'access' ? await tokens.verify(token, readBearer(credentials)) : undefined
    const admin =
      token === 'admin_access' ? await tokens.verify(token, readCookie(credentials)) : undefined
    const recognized = { user, admin, ...recognizeService(service, credentials) }
    remember(digest, { ...recognized, until: ((user ?? admin)?.exp ?? 0) * 1000 })
    return recognized
  }

  return (tier, credentials, now) => {
    const { token, service } = needs[tier]
    if (!token) return recognizeService(service, credentials)
    credentials.digest ??= digestOf(tier, credentials)
    const known = remembered.get(credentials.digest)
    if (known && known.until > now.getTime()) return known
    return verify(tier, credentials, credentials.digest)
  }
}

/** One for all of them; no header has a line end. */
function digestOf(tier: Tier, { authorization, serviceKey, adminToken }: Credentials): string {
  return hash('sha256', [tier, authorization, serviceKey, adminToken].join('\n'), 'base64')
}

function recognizeService(
  service: true | undefined,
  { serviceKey }: Credentials,
): VerifiedCredentials {
  return { service, keyHash: service && serviceKey ? hashServiceKey(serviceKey) : undefined }
}

function readBearer({ authorization }: Credentials): string {
  const [scheme] = /^Bearer +/i.exec(authorization ?? '') ?? []
  if (scheme && authorization) return authorization.slice(scheme.length)
  const detail = 'An access token is needed: authorization: Bearer …'
  throw new ServiceError('unauthenticated', 'TOKEN_MISSING', detail)
}

function readCookie({ adminToken }: Credentials): string {
  if (adminToken) return adminToken
  const detail = 'An admin token is needed: cookie admin_token'
  throw new ServiceError('unauthenticated', 'TOKEN_MISSING', detail)
}
