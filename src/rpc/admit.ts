import type { Tenant } from '../core/credential-kind.ts'
import type { Principal } from '../core/request-context.ts'
import { clientAddress } from '../rate-limit/client-address.ts'
import { type Admission, type AdmissionKeys, createAdmission, type Release } from './admission.ts'
import type { Call } from './call.ts'
import type { VerifiedCredentials } from './credentials.ts'
import type { Capacity, Policy } from './method.ts'

/** The maximum number of concurrent calls for each kind of caller. */
type CallerLimits = { workspace: number; user: number; service: number; address: number }

/** The capacity classes whose calls need a slot. */
type LimitedCapacity = Exclude<Capacity, 'shared_read'>

/**
 * The slots of each class, and how many of them one caller may take.
 *
 * - `maxLarge` limits the calls with a large message, such as batches and imports: two of them keep two
 *   cores of the database busy.
 * - `default`, `session` and `list` have no more slots than their pools have connections
 *   (`database/pool.ts`).
 * - `sign_in` has more, because its calls mostly wait for an identity provider.
 * - `shared_read` needs none, because the batcher divides its statements fairly between callers.
 */
const classes: Record<
  LimitedCapacity,
  { capacity: number; limits: CallerLimits; maxLarge?: number; maxQueued: number }
> = {
  default: {
    capacity: 8,
    limits: { workspace: 5, user: 4, service: 6, address: 3 },
    maxLarge: 1,
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
 * until it ends. There are more slots than concurrent large statements, so that the next calls are
 * ready when those statements end.
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

/**
 * Returns the tenants that a call counts for, of its token before its service key. `principal` is
 * undefined before the call is authenticated: the service is then identified by the hash of its key.
 */
function tenantsOf({ kinds, claims }: VerifiedCredentials, principal?: Principal): Tenant[][] {
  const tenants = kinds.map((kind, index) =>
    claims[index] === undefined ? [] : (kind.tenants?.(claims[index], principal) ?? []),
  )
  return tenants.filter(({ length }) => length > 0).reverse()
}

/**
 * Waits for a slot in the capacity class of the call. `principal` is undefined before the caller is
 * authenticated.
 */
export function admit(
  { capacity }: Policy,
  { scope, ip, hasLargeBody }: Call,
  credentials: VerifiedCredentials,
  principal: Principal | undefined,
  admissions: Admissions,
): Release | Promise<Release> {
  if (capacity === 'shared_read') return noRelease
  const { limits: callerLimits, maxLarge } = classes[capacity]
  const keys = keysOf(tenantsOf(credentials, principal), ip, callerLimits)
  if (hasLargeBody && maxLarge !== undefined)
    keys.limits.push(...keys.tenants.map((name) => ({ key: `large ${name}`, max: maxLarge })))
  return admissions[capacity].enter(keys, scope.signal)
}

/**
 * Waits until a large message may be decoded. Decoding a thousand checks occupies the main thread
 * for milliseconds and creates many objects, so only a few such messages are decoded concurrently.
 * The others wait undecoded.
 */
export function admitMessage(
  { readInTurn, scope, ip }: Call,
  credentials: VerifiedCredentials,
  { large_message }: Admissions,
): Release | Promise<Release> {
  if (!readInTurn) return noRelease
  const [first] = tenantsOf(credentials)
  const tenants = first?.map(({ key }) => key) ?? [`address ${clientAddress(ip)}`]
  const limits = tenants.map((key) => ({ key, max: largeMessages.maxPerTenant }))
  return large_message.enter({ tenants, limits }, scope.signal)
}

const noRelease: Release = () => {}

/**
 * Count by address only if there are no credentials, because the users of a backend or an office
 * share an address.
 */
function keysOf(tenants: Tenant[][], ip: string, max: CallerLimits): AdmissionKeys {
  const limits = tenants.flat().map(({ key, of }) => ({ key, max: max[of] }))
  // Each user of a service is counted separately. Otherwise, one of them could fill the queue of
  // the service.
  const [first] = tenants
  if (first) return { tenants: first.map(({ key }) => key), limits }
  const key = `address ${clientAddress(ip)}`
  return { tenants: [key], limits: [{ key, max: max.address }] }
}
