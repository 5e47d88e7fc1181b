import type { AdminPrincipal, ServicePrincipal, UserPrincipal } from '../core/request-context.ts'
import { clientAddress } from '../rate-limit/client-address.ts'
import { type Admission, type AdmissionKeys, createAdmission, type Release } from './admission.ts'
import type { Call } from './call.ts'
import type { VerifiedCredentials } from './credentials.ts'
import type { Capacity, Policy } from './method.ts'

/** How many calls of one caller may run at once. */
type CallerLimits = { workspace: number; user: number; service: number; address: number }

/** The classes of capacity whose calls wait for a place. */
type LimitedCapacity = Exclude<Capacity, 'shared_read'>

/**
 * The places of each class, and how many of them one caller may take. The places of `default`,
 * `session` and `list` add up to no more than the connections of their pools (`database.ts`). Those of
 * `sign_in` mostly wait for an identity provider: only a few have a transaction at once. Calls of
 * `shared_read` need no place: what they share is divided fairly by the batcher itself.
 */
const classes: Record<
  LimitedCapacity,
  { capacity: number; limits: CallerLimits; maxQueued: number }
> = {
  default: {
    capacity: 8,
    limits: { workspace: 5, user: 4, service: 6, address: 3 },
    maxQueued: 2000,
  },
  list: {
    capacity: 3,
    limits: { workspace: 2, user: 2, service: 3, address: 1 },
    maxQueued: 2000,
  },
  session: {
    capacity: 4,
    limits: { workspace: 3, user: 2, service: 3, address: 3 },
    maxQueued: 1000,
  },
  sign_in: {
    capacity: 64,
    limits: { workspace: 16, user: 8, service: 16, address: 16 },
    maxQueued: 500,
  },
  shared_write: {
    capacity: 1024,
    limits: { workspace: 256, user: 128, service: 768, address: 64 },
    maxQueued: 4000,
  },
  shared_list: {
    capacity: 256,
    limits: { workspace: 64, user: 32, service: 192, address: 16 },
    maxQueued: 2000,
  },
}

/**
 * The places of calls with a large message, which each keeps from the decoding of the message on. They
 * are more than the large statements that run at once, so that the next ones are ready when these end.
 */
const largeMessages = { capacity: 8, maxPerTenant: 4, maxQueued: 512 }

/** Calls of one tenant that may wait. */
const maxQueuedPerTenant = 256

/** An admission for each class, so that a class keeps its places whatever calls the others receive. */
export type Admissions = Record<LimitedCapacity | 'large_message', Admission>

export function createAdmissions(): Admissions {
  const create = (name: LimitedCapacity) =>
    createAdmission({ ...classes[name], maxQueuedPerTenant })
  return {
    default: create('default'),
    list: create('list'),
    session: create('session'),
    sign_in: create('sign_in'),
    shared_write: create('shared_write'),
    shared_list: create('shared_list'),
    large_message: createAdmission({ ...largeMessages, maxQueuedPerTenant }),
  }
}

/** The running and waiting calls of each class, for metrics. */
export function countAdmitted(admissions: Admissions): [string, ReturnType<Admission['counts']>][] {
  return Object.entries(admissions).map(([name, admission]) => [name, admission.counts()])
}

/** Whom a call counts against. */
type Caller = {
  user?: Pick<UserPrincipal, 'id' | 'workspaceId'> | undefined
  service?: ServicePrincipal | undefined
  admin?: Pick<AdminPrincipal, 'id'> | undefined
}

/** The caller of a call that is not authenticated yet; the hash of its key stands for the service. */
export function claimedCaller({ user, admin, keyHash }: VerifiedCredentials): Caller {
  return {
    user: user && { id: user.sub, workspaceId: user.wid },
    service: { name: keyHash },
    admin: admin && { id: admin.sub },
  }
}

/** Waits until the call has a place among the calls of its class. */
export function admit(
  { capacity }: Policy,
  { scope, ip }: Call,
  principal: Caller,
  admissions: Admissions,
): Release | Promise<Release> {
  if (capacity === 'shared_read') return noRelease
  return admissions[capacity].enter(keysOf(principal, ip, classes[capacity].limits), scope.signal)
}

/**
 * Waits until a large message may be decoded. A thousand checks take milliseconds of the main thread and
 * many objects, so that only a few such calls are decoded at once and the others wait as bytes.
 */
export function admitMessage(
  { readInTurn, scope, ip }: Call,
  { user, keyHash }: Pick<VerifiedCredentials, 'user' | 'keyHash'>,
  { large_message }: Admissions,
): Release | Promise<Release> {
  if (!readInTurn) return noRelease
  const key = user
    ? `workspace ${user.wid}`
    : keyHash
      ? `key ${keyHash}`
      : `address ${clientAddress(ip)}`
  const keys = { tenant: key, limits: [{ key, max: largeMessages.maxPerTenant }] }
  return large_message.enter(keys, scope.signal)
}

const noRelease: Release = () => {}

/** The address counts only for callers without credentials: backends and offices share one. */
function keysOf({ user, service, admin }: Caller, ip: string, max: CallerLimits): AdmissionKeys {
  const limits: AdmissionKeys['limits'] = []
  if (user) {
    limits.push({ key: `workspace ${user.workspaceId}`, max: max.workspace })
    limits.push({ key: `user ${user.id}`, max: max.user })
  }
  if (admin) limits.push({ key: `admin ${admin.id}`, max: max.workspace })
  if (service?.name) limits.push({ key: `service ${service.name}`, max: max.service })
  const [first] = limits
  if (first) return { tenant: first.key, limits }
  const key = `address ${clientAddress(ip)}`
  return { tenant: key, limits: [{ key, max: max.address }] }
}
