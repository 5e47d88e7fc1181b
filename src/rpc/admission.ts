import { type Cancellation, callCancelled } from '../core/cancellation.ts'
import { tooManyConcurrentRequests } from '../core/errors.ts'

/** Whom a call counts against. */
export type AdmissionKeys = {
  /** Calls of one tenant queue in order of arrival; tenants take turns. */
  tenant: string
  /** Keys with the number of calls that each may have running at once, such as a user's. */
  limits: { key: string; max: number }[]
}

export type AdmissionOptions = {
  /** Calls that may run at once. */
  capacity: number
  /** Calls of one tenant that may wait. */
  maxQueuedPerTenant: number
  /** Calls of all tenants that may wait. */
  maxQueued: number
}

/** Admits calls so that no tenant takes the capacity of all others. */
export type Admission = {
  /**
   * Waits for a place and returns the function that gives it back. Returns without a promise when
   * there is a place at once. Throws `resource_exhausted` when the queue is full.
   */
  enter(keys: AdmissionKeys, signal: Cancellation): Release | Promise<Release>
  /** Calls that run and calls that wait, for metrics. */
  counts(): { running: number; queued: number }
}

export type Release = () => void

type Waiting = { keys: AdmissionKeys; admit(release: Release): void }

/** Creates an admission with `capacity` places. */
export function createAdmission({
  capacity,
  maxQueuedPerTenant,
  maxQueued,
}: AdmissionOptions): Admission {
  const runningByKey = new Map<string, number>()
  /** In the order of the next turn: a tenant whose call was admitted moves to the end. */
  const queues = new Map<string, Waiting[]>()
  let running = 0
  let queued = 0

  function hasPlace({ limits }: AdmissionKeys): boolean {
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

  /** Gives free places to waiting calls, one a tenant and round. */
  function admitWaiting(): void {
    let isAdmitting = queued > 0
    while (isAdmitting && running < capacity) {
      isAdmitting = false
      for (const [tenant, queue] of [...queues]) {
        const index = queue.findIndex(({ keys }) => hasPlace(keys))
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
      return isNext && hasPlace(keys) ? occupy(keys) : wait(keys, signal)
    },
    counts: () => ({ running, queued }),
  }
}
