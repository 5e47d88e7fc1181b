import type { AdminPrincipal, ServicePrincipal, UserPrincipal } from '../core/request-context.ts'
import { clientAddress } from '../rate-limit/client-address.ts'
import { type Admission, type AdmissionKeys, createAdmission, type Release } from './admission.ts'
import type { Call } from './call.ts'
import type { VerifiedCredentials } from './credentials.ts'
import type { Capacity, Policy } from './method.ts'

/** The maximum number of calls that run at once for each kind of caller. */
type CallerLimits = { workspace: number; user: number; service: number; address: number }

/** The capacity classes whose calls need a slot. */
type LimitedCapacity = Exclude<Capacity, 'shared_read'>

/**
 * The slots of each class, and how many of them one caller may take. The slots of `default`,
 * `session` and `list` never exceed the connections of their pools (`database/pool.ts`). Calls of
 * `sign_in` mostly wait for an identity provider, and only a few of them have a transaction at
 * once. Calls of `shared_read` need no slot, because the batcher divides its statements fairly
 * between callers.
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
 * The slots of calls with a large message. A call keeps its slot from the decoding of the message
 * until it ends. There are more slots than large statements that run at once, so that the next
 * calls are ready when those statements end.
 */
const largeMessages = { capacity: 8, maxPerTenant: 4, maxQueued: 512 }

/** The maximum number of waiting calls of one tenant in each class. */
const maxQueuedPerTenant = 256

/** One admission per class, so that calls of one class never take the slots of another. */
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

/** Returns the numbers of running and waiting calls of each class, for metrics. */
export function countAdmitted(admissions: Admissions): [string, ReturnType<Admission['counts']>][] {
  return Object.entries(admissions).map(([name, admission]) => [name, admission.counts()])
}

/** The caller under whom a call is counted. */
type Caller = {
  user?: Pick<UserPrincipal, 'id' | 'workspaceId'> | undefined
  service?: ServicePrincipal | undefined
  admin?: Pick<AdminPrincipal, 'id'> | undefined
}

/**
 * Returns the caller that the credentials claim, before the call is authenticated. The service is
 * identified by the hash of its key.
 */
export function claimedCaller({ user, admin, keyHash }: VerifiedCredentials): Caller {
  return {
    user: user && { id: user.sub, workspaceId: user.wid },
    service: { name: keyHash },
    admin: admin && { id: admin.sub },
  }
}

/** Waits for a slot in the capacity class of the call. */
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
 * Waits until a large message may be decoded. Decoding a thousand checks takes milliseconds of the
 * main thread and creates many objects, so only a few such messages are decoded at once. The others
 * wait as bytes.
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

/**
 * Calls are counted by address only without credentials, because the users of a backend or an
 * office share one.
 */
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
