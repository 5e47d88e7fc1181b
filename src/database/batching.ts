import { callCancelled, createCancellation } from '../core/cancellation.ts'
import { type RequestScope, requestScope } from '../core/request-scope.ts'

/** Statements of one kind that run at once. Queries that arrive while they run form the next batch. */
const maxRunning = 2

/** The most rows in one statement, so that no caller waits long for the large queries of others. */
const maxBatchRows = 1000

type Entry<Query, Result> = {
  query: Query
  resolve: (result: Result) => void
  reject: (error: unknown) => void
  scope: RequestScope | undefined
  onAbort: () => void
  /** The batch that the query is part of, once it is sent. */
  batch: Batch | undefined
}

/** A running statement and the number of callers that still wait for it. */
type Batch = { waiting: number; abort(): void }

/**
 * Creates a function that collects concurrent queries and sends them as one statement with `run`,
 * which returns a result for each query, in order.
 *
 * A query never joins a statement that was already sent, so its result includes every write that was
 * acknowledged before the call. A failed statement fails only its own queries. A caller whose scope is
 * aborted stops waiting; `run` executes in a request scope that is aborted once all callers have.
 * `countRows` returns how many rows a query adds to a statement.
 */
export function createBatcher<Query, Result>(
  run: (queries: Query[]) => Promise<Result[]>,
  countRows: (query: Query) => number = () => 1,
): (query: Query, scope?: RequestScope) => Promise<Result> {
  let waiting: Entry<Query, Result>[] = []
  let running = 0
  let isScheduled = false

  function schedule() {
    if (isScheduled || running >= maxRunning || waiting.length === 0) return
    isScheduled = true
    setImmediate(send)
  }

  async function send() {
    isScheduled = false
    const entries = waiting.splice(0, countFitting())
    if (entries.length === 0) return
    running += 1
    schedule()
    const { signal, abort } = createCancellation()
    const batch = { waiting: entries.length, abort }
    for (const entry of entries) entry.batch = batch
    try {
      const queries = entries.map(({ query }) => query)
      const results = await requestScope.run({ signal }, () => run(queries))
      for (const [index, entry] of entries.entries()) {
        stopListening(entry)
        entry.resolve(results[index] as Result)
      }
    } catch (error) {
      for (const entry of entries) {
        stopListening(entry)
        entry.reject(error)
      }
    } finally {
      running -= 1
      schedule()
    }
  }

  /** Counts the waiting queries that fit into one statement: at least one. */
  function countFitting(): number {
    let rows = 0
    const firstOver = waiting.findIndex(({ query }) => {
      rows += countRows(query)
      return rows > maxBatchRows
    })
    return firstOver === -1 ? waiting.length : Math.max(firstOver, 1)
  }

  function cancel(entry: Entry<Query, Result>) {
    entry.reject(callCancelled())
    const { batch } = entry
    if (!batch) {
      waiting = waiting.filter((other) => other !== entry)
      return
    }
    batch.waiting -= 1
    if (batch.waiting === 0) batch.abort()
  }

  return (query, scope) =>
    new Promise((resolve, reject) => {
      if (scope?.signal.aborted) throw callCancelled()
      const onAbort = () => cancel(entry)
      const entry: Entry<Query, Result> = {
        query,
        resolve,
        reject,
        scope,
        onAbort,
        batch: undefined,
      }
      scope?.signal.addEventListener('abort', onAbort)
      waiting.push(entry)
      schedule()
    })
}

function stopListening({
  scope,
  onAbort,
}: Pick<Entry<unknown, unknown>, 'scope' | 'onAbort'>): void {
  scope?.signal.removeEventListener('abort', onAbort)
}
