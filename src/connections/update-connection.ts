import type {
  ConnectionResponse,
  ConnectionUpdateRequest,
} from '../../gen/daikon/v1/connections.ts'
import { actorOf } from '../activity/actor.ts'
import { requireMatch } from '../core/entity-tag.ts'
import { invalidArgument } from '../core/errors.ts'
import { requireGuestSupport } from '../workspaces/guests.ts'
import type { ConnectionContext, ConnectionStores } from './connection-context.ts'
import {
  enforcementNotReady,
  findDomainViolations,
  readDomain,
  readMapping,
  secretContext,
} from './connection-rules.ts'
import { describeConnection, tagOf, toTaggedResponse } from './connection-view.ts'
import {
  addDomains,
  idOf,
  requireConnection,
  requireGroups,
  requireUsableIssuer,
  withOpenid,
} from './connections.ts'
import { endConnectionSessions, endOtherwiseBegun } from './end-sessions.ts'
import { type ConnectionMapping, type DefaultRole, givesGuests } from './mapping.ts'
import type { ConnectionDomain } from './store/connection-domain-store.ts'
import type { ConnectionSettings, StoredConnection } from './store/connection-store.ts'

/** Milliseconds for which a sign-in shows that a connection can be enforced. */
const signInMemory = 86_400_000

/** Changes the fields that are present. */
export async function updateConnection(
  { stores, principal, now, connectionProviders, secretBox, baseUrl }: ConnectionContext,
  request: ConnectionUpdateRequest,
): Promise<ConnectionResponse> {
  const { issuer, client_secret: clientSecret, domains, if_match } = request
  const read = request.mapping ? readMapping(request.mapping) : undefined
  const violations = [...findDomainViolations(domains), ...(read?.violations ?? [])]
  if (issuer !== undefined) await requireUsableIssuer(connectionProviders, issuer, violations)
  else if (violations.length > 0) throw invalidArgument(...violations)
  return stores.transaction(async (tx) => {
    const before = await requireConnection(tx, idOf(request))
    const { id, workspaceId } = before
    const domainsBefore = await tx.connectionDomains.list([id])
    requireMatch(if_match, tagOf(before, domainsBefore))
    const settings = applyChanges(before, request, read?.mapping)
    if (settings.issuer !== before.issuer && clientSecret === undefined) throw secretRequired()
    if (givesGuests(settings.mapping)) await requireGuestSupport(tx.rollout)
    if (read) await requireGroups(tx.groups, workspaceId, settings.mapping)
    const secret = clientSecret && secretBox.encrypt(clientSecret, secretContext(id))
    await tx.connections.update(before, settings, secret ?? before.secret)
    await replaceDomains(tx, before, domainsBefore, domains)
    const isOther = settings.issuer !== before.issuer || settings.clientId !== before.clientId
    if (isOther) {
      // The subjects of another provider, or for another client, may be other people.
      await tx.connectionSubjects.removeAll(id)
      await tx.connections.recordSignIn(id, null)
    }
    const after = await requireConnection(tx, before)
    const own = await tx.connectionDomains.list([id])
    if (after.enforced && (isOther || !before.enforced)) requireReady(after, own, now)
    if (isOther || !after.isActive) await endConnectionSessions(tx, id, now)
    await endOtherwiseBegun(tx, after, now)
    const detail = describeConnection(after, own)
    const event = { action: 'connection.updated', targetId: id, workspaceId, detail } as const
    await tx.activity.record(actorOf(principal), event)
    return toTaggedResponse(after, own, baseUrl)
  })
}

function applyChanges(
  before: StoredConnection,
  request: ConnectionUpdateRequest,
  mapping: ConnectionMapping | undefined,
): ConnectionSettings {
  return {
    name: request.name?.trim() ?? before.name,
    issuer: request.issuer ?? before.issuer,
    clientId: request.client_id ?? before.clientId,
    scopes: request.scopes.length > 0 ? withOpenid(request.scopes) : before.scopes,
    defaultRole: (request.default_role as DefaultRole | undefined) ?? before.defaultRole,
    isActive: request.is_active ?? before.isActive,
    enforced: request.enforced ?? before.enforced,
    breakGlass: request.break_glass ?? before.breakGlass,
    mapping: mapping ?? before.mapping,
  }
}

/** Removes the domains that are not listed, and adds the new ones. Keeps them if none are listed. */
async function replaceDomains(
  tx: Pick<ConnectionStores, 'connectionDomains'>,
  connection: StoredConnection,
  current: ConnectionDomain[],
  domains: string[],
): Promise<void> {
  if (domains.length === 0) return
  const listed = new Set(domains.map((domain) => readDomain(domain) as string))
  const names = current.map(({ domain }) => domain)
  const removed = names.filter((domain) => !listed.has(domain))
  await tx.connectionDomains.remove(connection.id, removed)
  const added = [...listed].filter((domain) => !names.includes(domain))
  await addDomains(tx, connection, added)
}

/** Throws unless people can sign in through the connection: it has a verified domain, and somebody just did. */
function requireReady(
  { isActive, lastSignInAt }: StoredConnection,
  domains: ConnectionDomain[],
  now: Date,
): void {
  const isVerified = domains.some(({ verifiedAt }) => verifiedAt !== null)
  const signedInAt = lastSignInAt === null ? 0 : new Date(lastSignInAt).getTime()
  const isRecent = now.getTime() - signedInAt < signInMemory
  if (!isActive || !isVerified || !isRecent) throw enforcementNotReady()
}

/** A new issuer must not learn the secret that belongs to the one before. */
function secretRequired() {
  return invalidArgument({ field: 'client_secret', message: 'is required if the issuer changes' })
}
