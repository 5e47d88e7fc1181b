import type { Token } from '../identity/claims.ts'
import { notAdmin, userInactive } from '../identity/user-faults.ts'
import type { Standing } from '../permissions/facts.ts'
import type { AdminCaller, ServiceCaller, ShownToken, UserCaller } from './call.ts'
import { Fault } from './fault.ts'
import type { Passage, PipelineParts } from './pipeline.ts'
import { within } from './trace.ts'

/**
 * Finds out who calls. The message is read here, so that the facts of what it asks ride in the one
 * statement that tells how things stand with the credentials.
 */
export async function authenticate(passage: Passage, parts: PipelineParts): Promise<void> {
  const { operation, call, now } = passage
  const { asker, credentials } = call
  const { tier } = operation.policy
  const pending = parts.recognize(tier, credentials, now)
  const { user, admin, service, keyHash } = pending instanceof Promise ? await pending : pending
  if (call.read) call.message = await call.read()
  const asks = readMessage(passage)
  if (tier === 'public') return

  const question = {
    keyHash,
    tokenId: (user ?? admin)?.jti,
    userId: (user ?? admin)?.sub,
    workspaceId: user?.wid,
    asks,
  }
  const { standing, grounds } = await within(asker.span, 'facts', {}, () =>
    parts.loadFacts(question, asker),
  )
  if (service) {
    const required = parts.identity.options.keysRequired || standing.keysRequired
    passage.caller.service = required ? requireService(standing, keyHash) : { name: undefined }
    if (required && keyHash) parts.keyUses.note(keyHash, now)
  }
  if (user) passage.caller.user = requireUser(standing, user)
  if (admin) passage.caller.admin = requireAdmin(standing, admin)
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

/** The second row of the matrix of specification 5.5; the first, development mode, asks for no key. */
function requireService(standing: Standing, keyHash: string | undefined): ServiceCaller {
  if (standing.service !== undefined) return { name: standing.service }
  throw keyHash
    ? new Fault('unauthenticated', 'SERVICE_KEY_INVALID', 'The service key is not valid')
    : new Fault('unauthenticated', 'SERVICE_KEY_MISSING', 'A service key is needed: x-service-key')
}

function requireUser(standing: Standing, claims: Token<'access'>): UserCaller {
  const token = requireGood(standing, claims)
  return { id: claims.sub, workspaceId: claims.wid, role: standing.role, token }
}

function requireAdmin(standing: Standing, claims: Token<'admin_access'>): AdminCaller {
  const token = requireGood(standing, claims)
  if (claims.admin !== true || !standing.userAdmin) throw notAdmin()
  return { id: claims.sub, token }
}

/** A token holds while it is not denied and its user is active. */
function requireGood(standing: Standing, { jti, exp }: { jti: string; exp: number }): ShownToken {
  if (standing.tokenDenied)
    throw new Fault('unauthenticated', 'TOKEN_REVOKED', 'The token has been revoked')
  if (!standing.userActive) throw userInactive()
  return { id: jti, expiresAt: new Date(exp * 1000) }
}
