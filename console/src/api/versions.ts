/** A field that somebody else has changed. */
export type FieldChange = { field: string; from: unknown; to: unknown }

type Fields = Record<string, unknown>
type Version = { etag: string; fields: Fields }

/** The versions of the objects that were read, by the path of their route. */
const versions = new Map<string, Version>()

/** The number of changes of each object, by path, and the number when it was read. */
const changes = new Map<string, number>()
const changesAtStart = new WeakMap<Request, number>()

let dialogs = 0

/**
 * Keeps the versions that the administrator sees while a dialog is open, although the page behind
 * it may load newer ones. Returns a function that ends this.
 */
export function keepVersions(): () => void {
  dialogs += 1
  return () => {
    dialogs -= 1
  }
}

/**
 * Adds `If-Match` to a change of an object that was read before, unless the request has one: an
 * action on many objects sends `*`, because it does not depend on what was read.
 */
export function withVersion(request: Request): Request {
  if (request.method === 'GET') changesAtStart.set(request, changes.get(pathOf(request)) ?? 0)
  if (request.headers.has('if-match')) return request
  const version = isChange(request) && versions.get(pathOf(request))
  if (!version) return request
  const headers = new Headers(request.headers)
  headers.set('if-match', version.etag)
  return new Request(request, { headers })
}

/** Remembers the version of the object in a response. */
export async function rememberVersion(request: Request, response: Response): Promise<void> {
  const path = pathOf(request)
  if (request.method === 'DELETE' && response.ok) return void versions.delete(path)
  const etag = response.headers.get('etag')
  const changeCount = changes.get(path) ?? 0
  if (isChange(request) && response.ok) changes.set(path, changeCount + 1)
  if (!etag || !response.ok) return
  // A read that began before a change can end after it, with the version before the change.
  const start = changesAtStart.get(request)
  if (start !== undefined && start < changeCount) return
  if (dialogs > 0 && request.method === 'GET' && versions.has(path)) return
  versions.set(path, { etag, fields: await response.clone().json() })
}

/**
 * Returns what has changed since the object was read, after a change of it was refused. `current` is
 * the response to reading it again. From now on, its version counts as the one that was read.
 */
export async function findChanges(request: Request, current: Response): Promise<FieldChange[]> {
  const path = pathOf(request)
  const before = versions.get(path)
  const etag = current.headers.get('etag')
  if (!before || !etag || !current.ok) return []
  const fields: Fields = await current.json()
  versions.set(path, { etag, fields })
  return Object.keys(fields)
    .filter(
      (field) => isEditable(field) && describe(fields[field]) !== describe(before.fields[field]),
    )
    .map((field) => ({ field, from: before.fields[field], to: fields[field] }))
}

/** Formats a value for display. */
export function describe(value: unknown): string {
  if (value === null || value === undefined || value === '') return 'nothing'
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (Array.isArray(value)) return value.map(describe).join(', ') || 'nothing'
  if (typeof value !== 'object') return String(value)
  // A domain of a connection has a state, which nobody edits.
  return 'domain' in value ? String(value.domain) : JSON.stringify(value)
}

/** Whether a field belongs to the object itself: not a list of related objects, count or time. */
function isEditable(field: string): boolean {
  return !/_at$|_count$|_prefix$|^(sessions|memberships|groups|roles|linked_accounts|role)$/.test(
    field,
  )
}

function isChange({ method }: Request): boolean {
  return method === 'PATCH' || method === 'DELETE'
}

function pathOf({ url }: Request): string {
  return new URL(url).pathname
}
