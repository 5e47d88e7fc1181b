import type { CallOptions, Check, Context, Resource } from './argument-types.ts'
import {
  nameSubject,
  readObject,
  requireAction,
  requireResource,
  type SubjectName,
} from './arguments.ts'
import { type Connection, sendWithRetries } from './connection.ts'
import {
  abortError,
  closedError,
  type DaikonError,
  DeadlineExceededError,
  type Field,
} from './errors.ts'
import type { Evaluation, EvaluationItem } from './gen/daikon/v1/access.ts'
import { accessService } from './gen/methods.ts'
import { type Limiter, queueDeadlineError } from './limiter.ts'
import { incompleteResponse } from './responses.ts'
import { createServerError } from './server-errors.ts'
import { onAbort } from './signals.ts'
import { impossibleTokenError, reportedTokenError } from './token-format.ts'

/** The functions that receive the result of a check. */
export type Settle = {
  resolve: (isAllowed: boolean) => void
  reject: (error: DaikonError) => void
}

/** Collects the checks of one turn of the event loop and sends them together. */
export type CheckBatcher = {
  /** Throws InvalidArgumentError. Passes every other error to `settle.reject`. */
  add(check: Check, options: CallOptions, settle: Settle): void
  /** Fails all pending checks. */
  close(): void
}

/** Calls a function after the current turn of the event loop. */
const afterTurn: (callback: () => void) => void =
  globalThis.setImmediate ?? ((callback) => setTimeout(callback, 0))

/** The maximum number of checks in a batch, a limit of the server. */
const maxItems = 1000

/** The maximum size of a batch in bytes. The server accepts 4 MiB. */
const maxBytes = 3 * 1024 * 1024

/** The maximum number of encoded bytes of an item, excluding its strings. */
const itemOverhead = 40

/** The number of items of a subject up to which comparing each is faster than a map. */
const maxScanned = 32

/** The length from which IDs of subjects are found by their last characters. */
const minShortened = 64

/** A caller that waits for an item. Identical checks that have not been sent yet share an item. */
type Waiter = Settle & {
  item: Item
  deadline: number
  stopListening: (() => void) | undefined
}

type Item = {
  subject: SubjectName
  action: string
  resourceType: string
  resourceId: string
  context: Context | undefined
  /** The context as JSON, empty without one. */
  json: string
  bytes: number
  waiters: Waiter[]
  batch: Batch | undefined
}

/** The unsent items of a subject. */
type SubjectQueue = {
  subject: SubjectName
  items: Item[]
  /** The items by `keyOf`, once there are more than `maxScanned`. */
  byKey: Map<string, Item> | undefined
}

/** A running call and the number of its items that still have waiters. */
type Batch = { items: Item[]; waiting: number; abort: AbortController }

export function createCheckBatcher(
  connection: Connection,
  limiter: Limiter,
  options: { service: string; deadlineMs: number },
): CheckBatcher {
  /**
   * Items that have not been sent yet, by `queueKeyOf` their subject. A batch takes the items of one
   * subject after the other, because the server verifies each subject of a batch.
   */
  const unsent = new Map<string, SubjectQueue>()
  const running = new Set<Batch>()
  let isScheduled = false
  let isWaitingForPlace = false
  let timer: ReturnType<typeof setTimeout> | undefined
  let timerAt = 0

  function schedule() {
    if (isScheduled) return
    isScheduled = true
    afterTurn(flush)
  }

  function flush() {
    isScheduled = false
    while (unsent.size > 0 && !isWaitingForPlace) {
      if (!limiter.tryEnter()) {
        isWaitingForPlace = true
        limiter.whenFree(() => {
          isWaitingForPlace = false
          sendNext()
          flush()
        })
        return
      }
      sendNext()
    }
  }

  /** Sends the next batch. The caller must already hold a slot of the limiter. */
  function sendNext() {
    const items = takeItems()
    if (items.length === 0) return limiter.release()
    const batch: Batch = { items, waiting: items.length, abort: new AbortController() }
    running.add(batch)
    let deadline = 0
    for (const item of items) {
      item.batch = batch
      for (const waiter of item.waiters) deadline = Math.max(deadline, waiter.deadline)
    }
    const attempt = { deadline, signal: batch.abort.signal, retry: true }
    const request = { evaluations: toEvaluations(items, options.service) }
    sendWithRetries(connection, accessService.evaluateBatch, request, attempt)
      .then(
        (response) => settleItems(items, response?.evaluations ?? []),
        (error) => {
          for (const item of items) settleItem(item, error, false)
        },
      )
      .finally(() => {
        running.delete(batch)
        limiter.release()
      })
  }

  function takeItems(): Item[] {
    const items: Item[] = []
    let bytes = 0
    for (const [key, queue] of unsent) {
      const before = items.length
      for (const [index, item] of queue.items.entries()) {
        if (item.waiters.length === 0) continue
        const isFull = items.length === maxItems || bytes + item.bytes > maxBytes
        if (isFull && items.length > 0) {
          queue.items = queue.items.slice(index)
          if (items.length > before) {
            // To the end, so that a subject with many checks delays no other.
            unsent.delete(key)
            unsent.set(key, queue)
          }
          return items
        }
        bytes += item.bytes
        items.push(item)
        queue.byKey?.delete(keyOf(item))
      }
      unsent.delete(key)
    }
    return items
  }

  function settleItems(items: Item[], evaluations: Evaluation[]) {
    if (evaluations.length !== items.length || !evaluations.every(isDecided)) {
      for (const item of items) settleItem(item, incompleteResponse('decision'), false)
      return
    }
    let tokenError: DaikonError | undefined
    for (let index = 0; index < items.length; index += 1) {
      const item = items[index] as Item
      if (item.subject !== items[index - 1]?.subject)
        tokenError = findTokenError(items, index, evaluations)
      const evaluation = evaluations[index]
      const isAllowed = evaluation?.decision ?? false
      const error = isAllowed ? undefined : (itemError(evaluation) ?? tokenError)
      settleItem(item, error, isAllowed)
    }
  }

  function settleItem(item: Item, error: DaikonError | undefined, isAllowed: boolean) {
    const settled = item.waiters
    item.waiters = []
    for (const waiter of settled) {
      waiter.stopListening?.()
      if (error) waiter.reject(error)
      else waiter.resolve(isAllowed)
    }
  }

  /** Settles one waiter early. Cancels a call that has no waiters left. */
  function leave(waiter: Waiter, error: DaikonError) {
    const { item } = waiter
    waiter.stopListening?.()
    item.waiters = item.waiters.filter((other) => other !== waiter)
    // An unsent item without waiters is not sent, unless an identical check joins it.
    if (item.waiters.length === 0 && item.batch) {
      item.batch.waiting -= 1
      if (item.batch.waiting === 0) item.batch.abort.abort(error)
    }
    waiter.reject(error)
  }

  /** Returns all callers that wait. */
  function listWaiters(): Waiter[] {
    return [...unsent.values(), ...running].flatMap(({ items }) =>
      items.flatMap(({ waiters }) => waiters),
    )
  }

  /**
   * Starts a timer for all waiters. One is enough, because most deadlines are the same and few are
   * reached.
   */
  function watchDeadline(deadline: number) {
    if (timer && timerAt <= deadline) return
    clearTimeout(timer)
    timerAt = deadline
    timer = setTimeout(expire, Math.max(deadline - Date.now(), 0) + 1)
    // Only Node.js has it.
    timer.unref?.()
  }

  function expire() {
    timer = undefined
    const now = Date.now()
    let next = Number.POSITIVE_INFINITY
    for (const waiter of listWaiters()) {
      if (waiter.deadline > now) next = Math.min(next, waiter.deadline)
      else leave(waiter, waiter.item.batch ? responseDeadlineError() : queueDeadlineError())
    }
    if (next !== Number.POSITIVE_INFINITY) watchDeadline(next)
  }

  function findOrAddItem(
    subject: SubjectName,
    action: string,
    resource: Resource,
    context: Context | undefined,
  ): Item {
    const queue = findOrAddQueue(subject)
    const json = context ? JSON.stringify(context) : ''
    const { service } = options
    const length =
      subject.id.length + action.length + resource.type.length + resource.id.length + service.length
    const item: Item = {
      // Items of a subject share its object.
      subject: queue.subject.type === subject.type ? queue.subject : subject,
      action,
      resourceType: resource.type,
      resourceId: resource.id,
      context,
      json,
      // `[1,1]` is the shortest JSON of a number, which takes 11 bytes.
      bytes: length * 3 + json.length * 6 + itemOverhead,
      waiters: [],
      batch: undefined,
    }
    const existing = findItem(queue, item)
    if (existing) return existing
    queue.items.push(item)
    queue.byKey?.set(keyOf(item), item)
    return item
  }

  function findOrAddQueue(subject: SubjectName): SubjectQueue {
    const { id } = subject
    let key = queueKeyOf(id)
    for (let queue = unsent.get(key); queue; queue = unsent.get(key)) {
      if (queue.subject.id === id) return queue
      // Another subject has this key.
      key = key.length <= id.length ? `${id}\n` : `${key}\n`
    }
    const added: SubjectQueue = { subject, items: [], byKey: undefined }
    unsent.set(key, added)
    return added
  }

  return {
    add(
      { subject, action, resource, context },
      { signal, deadlineMs = options.deadlineMs },
      settle,
    ) {
      const name = nameSubject(subject)
      requireAction(action)
      requireResource(resource)
      const input = context && readObject('context', context)
      if (connection.closed.aborted) return settle.reject(closedError())
      if (signal?.aborted) return settle.reject(abortError(signal))
      const item = findOrAddItem(name, action, resource, input)
      const deadline = Date.now() + deadlineMs
      const { resolve, reject } = settle
      const waiter: Waiter = { item, deadline, resolve, reject, stopListening: undefined }
      if (signal) waiter.stopListening = onAbort(signal, () => leave(waiter, abortError(signal)))
      // A literal list has room for one waiter, which is the usual case; `push` makes room for 17.
      if (item.waiters.length === 0) item.waiters = [waiter]
      else item.waiters.push(waiter)
      watchDeadline(deadline)
      schedule()
    },
    close() {
      clearTimeout(timer)
      for (const waiter of listWaiters()) leave(waiter, closedError())
    },
  }
}

/**
 * Returns the key of a subject's queue. Hashing a whole token would take longer than the rest of a
 * check. `findOrAddQueue` uses the whole ID if another subject has the same key.
 */
function queueKeyOf(id: string): string {
  return id.length < minShortened ? id : id.slice(-minShortened / 2)
}

function findItem(queue: SubjectQueue, item: Item): Item | undefined {
  const { items } = queue
  if (items.length <= maxScanned) return items.find((other) => isSameItem(other, item))
  queue.byKey ??= new Map(items.map((other) => [keyOf(other), other]))
  return queue.byKey.get(keyOf(item))
}

function isSameItem(one: Item, other: Item): boolean {
  return (
    one.resourceId === other.resourceId &&
    one.action === other.action &&
    one.resourceType === other.resourceType &&
    one.json === other.json &&
    one.subject.type === other.subject.type
  )
}

/** Returns what identifies an item of a subject. Names cannot contain line breaks. */
function keyOf({ subject, action, resourceType, resourceId, json }: Item): string {
  return `${subject.type}\n${action}\n${resourceType}\n${resourceId}\n${json}`
}

function toEvaluations(items: Item[], service: string): EvaluationItem[] {
  return items.map(({ subject, action, resourceType, resourceId, context }) => ({
    subject,
    action: { name: action },
    resource: { type: `${service}:${resourceType}`, id: resourceId },
    context,
  }))
}

/**
 * Returns the error of a token that cannot be valid, for the items of its subject from `first` on.
 * If one of them was allowed, it is valid.
 */
function findTokenError(
  items: Item[],
  first: number,
  evaluations: Evaluation[],
): DaikonError | undefined {
  const { subject } = items[first] as Item
  if (subject.type !== 'access_token') return undefined
  for (let index = first; items[index]?.subject === subject; index += 1)
    if (evaluations[index]?.decision) return undefined
  return impossibleTokenError(subject)
}

/** Whether a response contains a decision. One that does not come from daikon may lack it. */
export function isDecided(response: { decision?: unknown } | null): boolean {
  return typeof response?.decision === 'boolean'
}

type ItemError = { status?: number; reason?: string; message?: string; errors?: Field[] }

/** Returns the error of an item that the server reports: it, its service or its token is not valid. */
function itemError(evaluation: Evaluation | undefined): DaikonError | undefined {
  const error = evaluation?.context?.error as ItemError | undefined
  if (!error) return reportedTokenError(evaluation?.context)
  const { status, reason, message = 'The check is not valid', errors = [] } = error
  if (status === 403 && reason) return createServerError('permission_denied', reason, message, {})
  return createServerError('invalid_argument', 'INVALID_REQUEST', message, { fields: errors })
}

function responseDeadlineError(): DeadlineExceededError {
  return new DeadlineExceededError(
    'daikon did not respond before the deadline. Check the load of daikon and its database, or raise deadlineMs',
  )
}
