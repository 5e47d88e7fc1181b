import { callCancelled, tooManyConcurrentRequests } from '../core/errors.ts'

/** The keys under which a call is counted. */
export type AdmissionKeys = {
  /**
   * The tenants of the call, such as its workspace and its user. Tenants take turns, and a call has
   * its turn only when it is the turn of each of its tenants.
   */
  tenants: string[]
  /** The maximum number of running calls for each key, for example a user. */
  limits: { key: string; max: number }[]
}

export type AdmissionOptions = {
  /** The maximum number of concurrent calls. */
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
   * the call is cancelled. If the queue is full, the newest call of the tenant with the most
   * waiting calls fails.
   */
  enter(keys: AdmissionKeys, signal: AbortSignal): Release | Promise<Release>
  /** The numbers of running and waiting calls, for metrics. */
  counts(): { running: number; queued: number }
}

export type Release = () => void

type Waiting = {
  /** The number of the call's turn. Calls with smaller numbers are admitted first. */
  turn: number
  arrival: number
  line: Line
  admit(release: Release): void
  refuse(): void
}

/** The waiting calls with the same keys, in order of arrival. */
type Line = { name: string; keys: AdmissionKeys; calls: Waiting[] }

/** A tenant with waiting calls. */
type Tenant = { queued: number; lastTurn: number }

/** Creates an admission with `capacity` slots. */
export function createAdmission({
  capacity,
  maxQueuedPerTenant,
  maxQueued,
}: AdmissionOptions): Admission {
  const runningByKey = new Map<string, number>()
  const lines = new Map<string, Line>()
  const tenants = new Map<string, Tenant>()
  let running = 0
  let queued = 0
  let arrivals = 0
  /** The turn of the call that was admitted last. */
  let currentTurn = 0

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

  /** Gives free slots to waiting calls, in the order of their turns. */
  function admitWaiting(): void {
    while (queued > 0 && running < capacity) {
      let next: Waiting | undefined
      for (const { keys, calls } of lines.values()) {
        const [first] = calls
        if (first && (!next || comesBefore(first, next)) && hasSlot(keys)) next = first
      }
      if (!next) return
      remove(next)
      currentTurn = Math.max(currentTurn, next.turn)
      next.admit(occupy(next.line.keys))
    }
  }

  function wait(keys: AdmissionKeys, signal: AbortSignal): Promise<Release> {
    makeRoom(keys)
    return new Promise((resolve, reject) => {
      const leave = () => {
        remove(waiting)
        reject(callCancelled())
      }
      const waiting = add(keys, {
        admit(release) {
          signal.removeEventListener('abort', leave)
          resolve(release)
        },
        refuse() {
          signal.removeEventListener('abort', leave)
          reject(tooManyConcurrentRequests())
        },
      })
      signal.addEventListener('abort', leave)
    })
  }

  /**
   * Throws if the call cannot wait, because one of its tenants has too many waiting calls. If the
   * queue is full, refuses the newest call of the tenant with the most waiting calls.
   */
  function makeRoom(keys: AdmissionKeys): void {
    const own = Math.max(...keys.tenants.map((name) => tenants.get(name)?.queued ?? 0))
    if (own >= maxQueuedPerTenant) throw tooManyConcurrentRequests()
    if (queued < maxQueued) return
    const [name, { queued: longest }] = findLongest()
    if (own + 1 >= longest) throw tooManyConcurrentRequests()
    let newest: Waiting | undefined
    for (const { keys, calls } of lines.values()) {
      const last = calls.at(-1)
      if (!last || !keys.tenants.includes(name)) continue
      if (!newest || last.arrival > newest.arrival) newest = last
    }
    if (!newest) return
    remove(newest)
    newest.refuse()
  }

  function findLongest(): [name: string, tenant: Tenant] {
    let longest: [string, Tenant] = ['', { queued: 0, lastTurn: 0 }]
    for (const entry of tenants) if (entry[1].queued > longest[1].queued) longest = entry
    return longest
  }

  /**
   * Numbers the turn of a call. Each tenant gets one turn in each round, so the turn of a call is
   * the later one of its tenants: a person with many workspaces gets one turn for all of them, and
   * so does a workspace with many people.
   */
  function add(keys: AdmissionKeys, callbacks: Pick<Waiting, 'admit' | 'refuse'>): Waiting {
    let turn = 0
    for (const name of keys.tenants) {
      const tenant = tenants.get(name) ?? { queued: 0, lastTurn: 0 }
      tenant.queued += 1
      tenant.lastTurn = Math.max(tenant.lastTurn, currentTurn) + 1
      turn = Math.max(turn, tenant.lastTurn)
      tenants.set(name, tenant)
    }
    const name = keys.limits.map(({ key }) => key).join()
    const line = lines.get(name) ?? { name, keys, calls: [] }
    const waiting = { turn, arrival: arrivals, line, ...callbacks }
    arrivals += 1
    queued += 1
    line.calls.push(waiting)
    lines.set(name, line)
    return waiting
  }

  function remove(waiting: Waiting): void {
    const { line } = waiting
    const index = line.calls.indexOf(waiting)
    if (index === -1) return
    line.calls.splice(index, 1)
    queued -= 1
    if (line.calls.length === 0) lines.delete(line.name)
    for (const name of line.keys.tenants) {
      const tenant = tenants.get(name)
      if (!tenant) continue
      tenant.queued -= 1
      if (tenant.queued === 0) tenants.delete(name)
    }
  }

  return {
    enter(keys, signal) {
      if (signal.aborted) throw callCancelled()
      // While there is a free slot, calls wait only because of their own limits.
      return hasSlot(keys) ? occupy(keys) : wait(keys, signal)
    },
    counts: () => ({ running, queued }),
  }
}

function comesBefore(one: Waiting, other: Waiting): boolean {
  return one.turn < other.turn || (one.turn === other.turn && one.arrival < other.arrival)
}
