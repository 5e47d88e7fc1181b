import type { CheckOptions, Resource } from './api.ts'
import {
  type Field,
  InvalidArgumentError,
  invalidArgument,
  toDaikonError,
  UnavailableError,
} from './errors.ts'
import { requireKnownNames } from './option-names.ts'
import { resourceId } from './resource-id.ts'

/** A check in the format of the API. */
type CheckItem = {
  service_name: string
  resource_type: string
  resource_id: string
  action: string
}

type Waiter = { resolve(isAllowed: boolean): void; reject(error: unknown): void }

type Entry = {
  action: string
  service: string
  type: string
  id: string
  context: CheckOptions['context']
  waiters: Waiter[]
}

/** The maximum number of checks in one request, a limit of the server. */
const maxItems = 100

/** Sends checks with the same context. Returns whether each is allowed, as in the response. */
export type SendChecks = (
  checks: CheckItem[],
  context: CheckOptions['context'],
) => Promise<unknown[]>

/**
 * Collects the checks of one turn of the event loop and sends them together. Identical checks share
 * one item. The returned function throws InvalidArgumentError if a check is malformed.
 */
export function createCheckBatcher(defaultService: string | undefined, send: SendChecks) {
  let queue = new Map<string, Entry>()

  async function flush(entries: Entry[]): Promise<void> {
    try {
      const items = await Promise.all(entries.map(toItem))
      const results = await send(items, entries[0]?.context)
      if (results.length !== items.length || !results.every((one) => typeof one === 'boolean'))
        throw undecidedError()
      for (const [index, { waiters }] of entries.entries())
        for (const { resolve } of waiters) resolve(results[index] as boolean)
    } catch (thrown) {
      const error = toDaikonError(thrown)
      const invalid = entries.length > 1 ? findInvalidItems(error.fields) : new Map()
      const others = entries.filter((_, index) => !invalid.has(index))
      for (const [index, { waiters }] of entries.entries()) {
        const fields = invalid.get(index)
        const own = fields
          ? new InvalidArgumentError(error.reason, error.message, { fields })
          : error
        if (fields || invalid.size === 0) for (const { reject } of waiters) reject(own)
      }
      // Invalid checks fail without affecting the others, which are sent again.
      if (invalid.size > 0 && others.length > 0) await flush(others)
    }
  }

  function flushAll(): void {
    // A request has one context for all of its checks.
    const groups = new Map<string, Entry[]>()
    for (const entry of queue.values()) {
      const key = JSON.stringify(entry.context) ?? ''
      const entries = groups.get(key)
      if (entries) entries.push(entry)
      else groups.set(key, [entry])
    }
    queue = new Map()
    for (const entries of groups.values())
      for (let start = 0; start < entries.length; start += maxItems)
        void flush(entries.slice(start, start + maxItems))
  }

  return (action: string, resource: Resource, options: CheckOptions = {}): Promise<boolean> => {
    requireKnownNames('a check', options)
    const { context } = options
    const { type, id, service = defaultService } = resource ?? {}
    requireTexts({ action, 'resource.type': type, 'resource.id': id, 'resource.service': service })
    const entry = { action, service: service as string, type, id, context, waiters: [] }
    return new Promise((resolve, reject) => {
      const key = JSON.stringify([action, service, type, id, context])
      const known = queue.get(key)
      if (queue.size === 0) afterThisTurn(flushAll)
      if (!known) queue.set(key, entry)
      const { waiters }: Entry = known ?? entry
      waiters.push({ resolve, reject })
    })
  }
}

/** A response that does not come from daikon may lack results. */
function undecidedError(): UnavailableError {
  const message =
    'The response contains no decision. Check the issuer and the proxies in front of it'
  return new UnavailableError('UNEXPECTED_RESPONSE', message)
}

async function toItem({ action, service, type, id }: Entry): Promise<CheckItem> {
  const resource_id = await resourceId(service, type, id)
  return { service_name: service, resource_type: type, resource_id, action }
}

/** Returns the invalid items of a request by index. */
function findInvalidItems(fields: Field[]): Map<number, Field[]> {
  const invalid = new Map<number, Field[]>()
  for (const { field, message } of fields) {
    const [, index, name = ''] = /^checks\[(\d+)\]\.?(.*)$/.exec(field) ?? []
    if (index === undefined) return new Map()
    const known = invalid.get(Number(index)) ?? []
    invalid.set(Number(index), [...known, { field: name, message }])
  }
  return invalid
}

function requireTexts(values: Record<string, unknown>): void {
  const fields: Field[] = []
  for (const [field, value] of Object.entries(values)) {
    if (typeof value === 'string' && value !== '' && value.length <= 1000) continue
    fields.push({ field, message: 'must be a non-empty string' })
  }
  if (fields.length > 0) throw invalidArgument(...fields)
}

/**
 * Calls back in the next turn of the event loop. Unlike timers, this is not delayed in hidden tabs.
 */
function afterThisTurn(callback: () => void): void {
  const { port1, port2 } = new MessageChannel()
  port1.onmessage = () => {
    port1.close()
    callback()
  }
  port2.postMessage(undefined)
}
