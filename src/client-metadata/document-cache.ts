import type { Fetch, FetchWindows } from './windows.ts'

/** A document, or the seconds after which it can be fetched. */
export type Found<Value> = { value: Value; retryAfter?: never } | { retryAfter: number }

/** A document, and the seconds for which it is used. */
export type Loaded<Value> = { value: Value; seconds: number }

type Entry<Value> = { value: Value; freshUntil: number }

/** Who asks for a document. */
export type Requester = {
  fetch: Fetch
  /** Whether somebody has consented to the client, whose last document is then used while a window is full. */
  isKnown: boolean
}

/** How many documents are kept of clients that people have consented to, and of all others. */
const maxEntries = { known: 10_000, unknown: 1000 }

/**
 * Creates a cache of documents by URL. Concurrent requests for a URL share one fetch. A failure is not kept: its
 * error is thrown to everyone who waits for it.
 *
 * Documents of clients to which nobody consented never push out the others.
 */
export function createDocumentCache<Value>(
  windows: FetchWindows,
  now: () => Date,
  load: (url: string, fetch: Fetch) => Promise<Loaded<Value>>,
) {
  const known = new Map<string, Entry<Value>>()
  const unknown = new Map<string, Entry<Value>>()
  const running = new Map<string, Promise<Found<Value>>>()

  function find(url: string, isKnown: boolean): Entry<Value> | undefined {
    const entry = known.get(url) ?? unknown.get(url)
    // The one that was used last is dropped last.
    if (entry) keep(url, entry, isKnown || known.has(url))
    return entry
  }

  function keep(url: string, entry: Entry<Value>, isKnown: boolean): void {
    known.delete(url)
    unknown.delete(url)
    const [entries, max] = isKnown ? [known, maxEntries.known] : [unknown, maxEntries.unknown]
    entries.set(url, entry)
    const [oldest] = entries.keys()
    if (entries.size > max && oldest !== undefined) entries.delete(oldest)
  }

  function start(url: string, { fetch, isKnown }: Requester): Promise<Found<Value>> {
    const fetching = (async () => {
      const retryAfter = await windows.takeForClient(fetch)
      if (retryAfter !== undefined) return { retryAfter }
      const { value, seconds } = await load(url, fetch)
      keep(url, { value, freshUntil: now().getTime() + seconds * 1000 }, isKnown || known.has(url))
      return { value }
    })()
    running.set(url, fetching)
    const clear = () => running.delete(url)
    fetching.then(clear, clear)
    return fetching
  }

  function findFresh(url: string, isKnown: boolean): Entry<Value> | undefined {
    const entry = find(url, isKnown)
    return entry && entry.freshUntil > now().getTime() ? entry : undefined
  }

  /** Returns the document of a URL. */
  return async (url: string, requester: Requester): Promise<Found<Value>> => {
    const { fetch, isKnown } = requester
    const latest = () => findFresh(url, isKnown) ?? running.get(url)
    const current = latest()
    const retryAfter = current ? undefined : await windows.takeForPerson(fetch)
    // Nothing waits between the last look and the start, so that concurrent requests share a fetch.
    const found: Found<Value> = await (retryAfter === undefined
      ? (current ?? latest() ?? start(url, requester))
      : { retryAfter })
    const last = found.retryAfter !== undefined && isKnown ? find(url, isKnown) : undefined
    return last ?? found
  }
}
