import type {
  ConnectionDomainRequest,
  ConnectionDomainResponse,
} from '../../gen/daikon/v1/connections.ts'
import { actorOf } from '../activity/actor.ts'
import { ServiceError } from '../core/errors.ts'
import type { Transactional } from '../core/request-context.ts'
import { violates } from '../database/database-errors.ts'
import type { ConnectionContext, ConnectionStores } from './connection-context.ts'
import { connectionNotFound, domainNotFound } from './connection-rules.ts'
import { toDomainResponse } from './connection-view.ts'
import { idOf, requireConnection } from './connections.ts'
import { type FindDomainProof, txtValue } from './domain-proof.ts'
import { endOtherwiseBegun } from './end-sessions.ts'
import { reasons } from './reasons.ts'
import type { ConnectionDomain } from './store/connection-domain-store.ts'

/** The maximum number of domains that one call to `checkDomains` checks. */
export const maxCheckedDomains = 20

const day = 86_400_000

/** Milliseconds after which a verified domain is checked again, and for which its proof may be missing. */
const week = 7 * day

/** Looks for the TXT record of a domain, and lets the connection assert its addresses. */
export async function verifyConnectionDomain(
  { stores, principal, now, findDomainProof }: ConnectionContext,
  request: ConnectionDomainRequest,
): Promise<ConnectionDomainResponse> {
  const id = idOf(request)
  if (!(await stores.connections.find(id))) throw connectionNotFound()
  const domain = request.domain.toLowerCase()
  const { token } = await requireDomain(stores, id.id, domain)
  const proof = await findDomainProof(domain, token)
  if (proof === 'unknown') throw dnsUnavailable()
  if (proof === 'absent') throw notProven(domain, token)
  try {
    return await stores.transaction(async (tx) => {
      const connection = await requireConnection(tx, id)
      const before = await requireDomain(tx, id.id, domain)
      // The domain may have been removed and added again during the DNS query.
      if (before.token !== token) throw notProven(domain, before.token)
      await tx.connectionDomains.verify(id.id, domain, now)
      if (before.verifiedAt === null) {
        const event = { action: 'connection.domain_verified', targetId: id.id } as const
        const { workspaceId } = connection
        await tx.activity.record(actorOf(principal), { ...event, workspaceId, detail: { domain } })
        await endOtherwiseBegun(tx, connection, now)
      }
      return toDomainResponse(await requireDomain(tx, id.id, domain))
    })
  } catch (error) {
    throw violates(error, 'unique') ? new ServiceError(reasons.DOMAIN_TAKEN) : error
  }
}

/**
 * Checks the proofs of up to `maxCheckedDomains` verified domains that are due, and returns their
 * number. A domain whose proof is missing for a week is no longer verified. Without an answer of the
 * DNS, nothing changes.
 */
export async function checkDomains(
  stores: Transactional<ConnectionStores>,
  findDomainProof: FindDomainProof,
  now: Date,
  warn: (text: string) => void,
): Promise<number> {
  const before = (milliseconds: number) => new Date(now.getTime() - milliseconds)
  const due = await stores.connectionDomains.takeDue(before(week), before(day), maxCheckedDomains)
  await Promise.all(
    due.map(async (domain) => {
      const proof = await findDomainProof(domain.domain, domain.token)
      if (proof === 'present')
        await stores.connectionDomains.verify(domain.connectionId, domain.domain, now)
      if (proof === 'absent') await noteMissing(stores, domain, now, warn)
    }),
  )
  return due.length
}

async function noteMissing(
  stores: Transactional<ConnectionStores>,
  { connectionId, workspaceId, domain, failingSince }: ConnectionDomain,
  now: Date,
  warn: (text: string) => void,
): Promise<void> {
  const failingTime = failingSince === null ? 0 : now.getTime() - new Date(failingSince).getTime()
  const lapses = failingTime >= week
  await stores.transaction(async (tx) => {
    if (lapses) await tx.connectionDomains.unverify(connectionId, domain)
    else await tx.connectionDomains.noteFailure(connectionId, domain, now)
    if (failingSince !== null && !lapses) return
    const action = lapses ? 'connection.domain_lapsed' : 'connection.domain_failing'
    const event = { action, targetId: connectionId, workspaceId, detail: { domain } } as const
    await tx.activity.record({ actorId: undefined }, event)
  })
  const state = lapses ? 'is no longer verified' : 'has no TXT record any more'
  warn(`The domain ${domain} of the connection ${connectionId} ${state}`)
}

async function requireDomain(
  { connectionDomains }: Pick<ConnectionStores, 'connectionDomains'>,
  connectionId: string,
  domain: string,
): Promise<ConnectionDomain> {
  const found = await connectionDomains.find(connectionId, domain)
  if (!found) throw domainNotFound()
  return found
}

function notProven(domain: string, token: string): ServiceError {
  const detail = `${domain} has no TXT record ${txtValue(token)}. New records can take hours to appear.`
  return new ServiceError(reasons.DOMAIN_NOT_PROVEN, detail)
}

function dnsUnavailable(): ServiceError {
  return new ServiceError(reasons.DNS_UNAVAILABLE, undefined, { retryAfter: 5 })
}
