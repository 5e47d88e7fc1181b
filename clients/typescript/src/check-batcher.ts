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
import { createServerError } from './server-errors.ts'
import { onAbort } from './signals.ts'
import { deniedTokenError } from './token-format.ts'

/** Receives the result of a check. */
export type Settle = (error: DaikonError | undefined, isAllowed: boolean) => void

/** Collects the checks of one turn of the event loop and sends them together. */
export type CheckBatcher = {
  /** Throws InvalidArgumentError. Passes every other error to `settle`. */
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

/** A caller that waits for an item. Identical checks that have not been sent yet share an item. */
type Waiter = {
  item: Item
  deadline: number
  settle: Settle
  stopListening: (() => void) | undefined
}

type Item = {
  key: string
  subject: SubjectName
  evaluation: EvaluationItem
  bytes: number
  waiters: Waiter[]
  batch: Batch | undefined
}

/** A running call and the number of its items that still have waiters. */
type Batch = { waiting: number; abort: AbortController }

export function createCheckBatcher(
  connection: Connection,
  limiter: Limiter,
  options: { service: string; deadlineMs: number },
): CheckBatcher {
  /**
   * Items that have not been sent yet, by the ID of their subject and by their key. A batch takes
   * the items of one subject after the other, because the server verifies each subject of a batch.
   */
  const unsent = new Map<string, Map<string, Item>>()
  const waiters = new Set<Waiter>()
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
    const batch: Batch = { waiting: items.length, abort: new AbortController() }
    let deadline = 0
    for (const item of items) {
      item.batch = batch
      for (const waiter of item.waiters) deadline = Math.max(deadline, waiter.deadline)
    }
    const attempt = { deadline, signal: batch.abort.signal, retry: true }
    const request = { evaluations: items.map(({ evaluation }) => evaluation) }
    sendWithRetries(connection, accessService.evaluateBatch, request, attempt)
      .then(
        (response) => settleItems(items, response?.evaluations ?? []),
        (error) => {
          for (const item of items) settleItem(item, error, false)
        },
      )
      .finally(limiter.release)
  }

  function takeItems(): Item[] {
    const items: Item[] = []
    let bytes = 0
    for (const [id, subjectItems] of unsent) {
      const before = items.length
      for (const [key, item] of subjectItems) {
        const isFull = items.length === maxItems || bytes + item.bytes > maxBytes
        if (isFull && items.length > 0) {
          if (items.length > before) {
            // To the end, so that a subject with many checks delays no other.
            unsent.delete(id)
            unsent.set(id, subjectItems)
          }
          return items
        }
        bytes += item.bytes
        items.push(item)
        subjectItems.delete(key)
      }
      unsent.delete(id)
    }
    return items
  }

  function settleItems(items: Item[], evaluations: Evaluation[]) {
    const tokenErrors = new Map<string, DaikonError | undefined>()
    const findTokenError = ({ type, id }: SubjectName) => {
      if (type !== 'access_token') return undefined
      if (!tokenErrors.has(id)) tokenErrors.set(id, deniedTokenError({ type, id }))
      return tokenErrors.get(id)
    }
    for (const [index, item] of items.entries()) {
      const evaluation = evaluations[index]
      const isAllowed = evaluation?.decision === true
      const error = isAllowed ? undefined : itemError(evaluation) || findTokenError(item.subject)
      settleItem(item, error, isAllowed)
    }
  }

  function settleItem(item: Item, error: DaikonError | undefined, isAllowed: boolean) {
    const settled = item.waiters
    item.waiters = []
    for (const waiter of settled) {
      forget(waiter)
      waiter.settle(error, isAllowed)
    }
  }

  /** Settles one waiter early. Cancels a call that has no waiters left. */
  function leave(waiter: Waiter, error: DaikonError) {
    const { item } = waiter
    forget(waiter)
    item.waiters = item.waiters.filter((other) => other !== waiter)
    if (item.waiters.length === 0) {
      if (item.batch) {
        item.batch.waiting -= 1
        if (item.batch.waiting === 0) item.batch.abort.abort()
      } else unsent.get(item.subject.id)?.delete(item.key)
    }
    waiter.settle(error, false)
  }

  function forget(waiter: Waiter) {
    waiters.delete(waiter)
    waiter.stopListening?.()
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
    for (const waiter of waiters) {
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
    let subjectItems = unsent.get(subject.id)
    if (!subjectItems) {
      subjectItems = new Map()
      unsent.set(subject.id, subjectItems)
    }
    // Names cannot contain line breaks, so the key is unambiguous.
    const json = context ? `\n${JSON.stringify(context)}` : ''
    const key = `${subject.type}\n${action}\n${resource.type}\n${resource.id}${json}`
    const existing = subjectItems.get(key)
    if (existing) return existing
    const length = subject.id.length + key.length + options.service.length
    // `[1,1]` is the shortest JSON of a number, which takes 11 bytes.
    const bytes = length * 3 + json.length * 3 + itemOverhead
    const evaluation = {
      subject,
      action: { name: action },
      resource: { type: `${options.service}:${resource.type}`, id: resource.id },
      context,
    }
    const item: Item = { key, subject, evaluation, bytes, waiters: [], batch: undefined }
    subjectItems.set(key, item)
    return item
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
      if (connection.closed.aborted) return settle(closedError(), false)
      if (signal?.aborted) return settle(abortError(signal), false)
      const item = findOrAddItem(name, action, resource, input)
      const deadline = Date.now() + deadlineMs
      const waiter: Waiter = { item, deadline, settle, stopListening: undefined }
      if (signal) waiter.stopListening = onAbort(signal, () => leave(waiter, abortError(signal)))
      item.waiters.push(waiter)
      waiters.add(waiter)
      watchDeadline(deadline)
      schedule()
    },
    close() {
      clearTimeout(timer)
      for (const waiter of waiters) leave(waiter, closedError())
    },
  }
}

type ItemError = { status?: number; reason?: string; message?: string; errors?: Field[] }

/** Returns the error of an item that the server rejected: it is invalid, or names another service. */
function itemError(evaluation: Evaluation | undefined): DaikonError | undefined {
  const error = evaluation?.context?.error as ItemError | undefined
  if (!error) return undefined
  const { status, reason, message = 'The check is not valid', errors = [] } = error
  if (status === 403 && reason) return createServerError('permission_denied', reason, message, {})
  return createServerError('invalid_argument', 'INVALID_REQUEST', message, { fields: errors })
}

function responseDeadlineError(): DeadlineExceededError {
  return new DeadlineExceededError(
    'daikon did not respond before the deadline. Check the load of daikon and its database, or raise deadlineMs',
  )
}
