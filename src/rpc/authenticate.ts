import type { AccessClaims } from '../identity/claims.ts'
import { hashServiceKey } from '../identity/service-keys.ts'
import type { Standing } from '../permissions/facts.ts'
import type { ServiceCaller, UserCaller } from './call.ts'
import { Fault } from './fault.ts'
import type { Tier } from './method.ts'
import type { Passage, PipelineParts } from './pipeline.ts'

const needs: Record<Tier, { user: boolean; service: boolean }> = {
  public: { user: false, service: false },
  user: { user: true, service: false },
  service: { user: false, service: true },
  dual: { user: true, service: true },
  admin: { user: false, service: false },
}

/**
 * Finds out who calls (specification 5.1). The message is read here, so that the facts of what it
 * asks ride in the one statement that tells how things stand with the credentials.
 */
export async function authenticate(passage: Passage, parts: PipelineParts): Promise<void> {
  const { operation, call } = passage
  const { tier } = operation.policy
  const { user, service } = needs[tier]
  const claims = user
    ? await parts.tokens.verifyAccess(bearer(call.credentials.authorization))
    : undefined
  if (tier === 'admin')
    throw new Fault('unauthenticated', 'TOKEN_MISSING', 'An admin token is needed')
  const asks = readMessage(passage)
  if (!user && !service) return

  const { serviceKey } = call.credentials
  const { standing, grounds } = await parts.loadFacts({
    keyHash: service && serviceKey ? hashServiceKey(serviceKey) : undefined,
    tokenId: claims?.jti,
    userId: claims?.sub,
    workspaceId: claims?.wid,
    asks,
  })
  if (service) {
    const required = parts.keysRequired || standing.keysRequired
    passage.caller.service = required ? requireService(standing, serviceKey) : { name: undefined }
  }
  if (claims) passage.caller.user = requireUser(standing, claims)
  passage.grounds = grounds
}

/** The asks of a message that is valid; what is wrong with it waits for its step. */
function readMessage(passage: Passage) {
  const { operation, call } = passage
  try {
    if (call.message instanceof Fault) throw call.message
    operation.validate(call.message)
    return operation.useCase.asks?.(call.message) ?? []
  } catch (error) {
    passage.problem = Fault.from(error)
    return []
  }
}

function bearer(authorization: string | undefined): string {
  const token = /^Bearer +([\w.~+/=-]+)$/i.exec(authorization ?? '')?.[1]
  if (token) return token
  throw new Fault(
    'unauthenticated',
    'TOKEN_MISSING',
    'An access token is needed: authorization: Bearer …',
  )
}

/** The second row of the matrix of specification 5.5; the first, development mode, asks for no key. */
function requireService(standing: Standing, key: string | undefined): ServiceCaller {
  if (standing.service !== undefined) return { name: standing.service }
  throw key
    ? new Fault('unauthenticated', 'SERVICE_KEY_INVALID', 'The service key is not valid')
    : new Fault('unauthenticated', 'SERVICE_KEY_MISSING', 'A service key is needed: x-service-key')
}

function requireUser(standing: Standing, claims: AccessClaims): UserCaller {
  if (standing.tokenDenied)
    throw new Fault('unauthenticated', 'TOKEN_REVOKED', 'The token has been revoked')
  if (!standing.userActive)
    throw new Fault('unauthenticated', 'USER_INACTIVE', 'The user is not active')
  return { id: claims.sub, workspaceId: claims.wid, role: standing.role }
}
