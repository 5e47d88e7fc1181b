import { type Cancellation, callCancelled } from '../core/cancellation.ts'
import { tooManyConcurrentRequests } from '../core/errors.ts'

/** The keys under which a call is counted. */
export type AdmissionKeys = {
  /** Calls of one tenant wait in order of arrival; tenants take turns. */
  tenant: string
  /** The maximum number of running calls by key, such as that of a user. */
  limits: { key: string; max: number }[]
}

export type AdmissionOptions = {
  /** The maximum number of calls that run at once. */
  capacity: number
  /** The maximum number of waiting calls of one tenant. */
  maxQueuedPerTenant: number
  /** The maximum number of waiting calls of all tenants. */
  maxQueued: number
}

/** Admits calls so that no tenant can use up the whole capacity. */
export type Admission = {
  /**
   * Waits for a slot and returns the function that releases it, without a promise if a slot is
   * free. Fails with `resource_exhausted` if too many calls are waiting, and with `unavailable` if
   * the call is cancelled.
   */
  enter(keys: AdmissionKeys, signal: Cancellation): Release | Promise<Release>
  /** The numbers of running and waiting calls, for metrics. */
  counts(): { running: number; queued: number }
}

export type Release = () => void

type Waiting = { keys: AdmissionKeys; admit(release: Release): void }

/** Creates an admission with `capacity` slots. */
export function createAdmission({
  capacity,
  maxQueuedPerTenant,
  maxQueued,
}: AdmissionOptions): Admission {
  const runningByKey = new Map<string, number>()
  /** In the order of turns. A tenant moves to the end when one of its calls is admitted. */
  const queues = new Map<string, Waiting[]>()
  let running = 0
  let queued = 0

  function hasSlot({ limits }: AdmissionKeys): boolean {
    if (running >= capacity) return false
    return limits.every(({ key, max }) => (runningByKey.get(key) ?? 0) < max)
  }

  function occupy({ limits }: AdmissionKeys): Release {
    running += 1
    for (const { key } of limits) runningByKey.set(key, (runningByKey.get(key) ?? 0) + 1)
    let isReleased = false
    return () => {
      if (isReleased) return
      isReleased = true
      running -= 1
      for (const { key } of limits) {
        const left = (runningByKey.get(key) ?? 0) - 1
        if (left > 0) runningByKey.set(key, left)
        else runningByKey.delete(key)
      }
      admitWaiting()
    }
  }

  /** Gives free slots to waiting calls, one call per tenant in each round. */
  function admitWaiting(): void {
    let isAdmitting = queued > 0
    while (isAdmitting && running < capacity) {
      isAdmitting = false
      for (const [tenant, queue] of [...queues]) {
        const index = queue.findIndex(({ keys }) => hasSlot(keys))
        const [waiting] = index === -1 ? [] : queue.splice(index, 1)
        if (!waiting) continue
        queued -= 1
        queues.delete(tenant)
        if (queue.length > 0) queues.set(tenant, queue)
        waiting.admit(occupy(waiting.keys))
        isAdmitting = true
      }
    }
  }

  function wait(keys: AdmissionKeys, signal: Cancellation): Promise<Release> {
    const queue = queues.get(keys.tenant) ?? []
    if (queue.length >= maxQueuedPerTenant || queued >= maxQueued) throw tooManyConcurrentRequests()
    return new Promise((resolve, reject) => {
      const leave = () => {
        const index = queue.indexOf(waiting)
        if (index === -1) return
        queue.splice(index, 1)
        queued -= 1
        if (queue.length === 0) queues.delete(keys.tenant)
        reject(callCancelled())
      }
      const waiting: Waiting = {
        keys,
        admit(release) {
          signal.removeEventListener('abort', leave)
          resolve(release)
        },
      }
      queue.push(waiting)
      queues.set(keys.tenant, queue)
      queued += 1
      signal.addEventListener('abort', leave)
    })
  }

  return {
    enter(keys, signal) {
      if (signal.aborted) throw callCancelled()
      const isNext = !queues.has(keys.tenant)
      return isNext && hasSlot(keys) ? occupy(keys) : wait(keys, signal)
    },
    counts: () => ({ running, queued }),
  }
}
