import { callCancelled, tooManyConcurrentRequests } from '../core/errors.ts'
import { type RequestScope, requestScope } from '../core/request-scope.ts'

export type BatcherOptions<Query> = {
  /** Returns how many rows a query adds to a statement; 1 by default. */
  countRows?: (query: Query) => number
  /**
   * Returns the key of the caller that a query counts against. By default, all queries count
   * against one caller.
   */
  callerOf?: (query: Query) => string
  /**
   * The maximum number of rows in one statement, so that no caller waits long for the large queries
   * of others.
   */
  maxBatchRows?: number
  /**
   * The maximum number of concurrent statements in each lane. Queries that arrive while they run
   * form the next batch.
   */
  maxRunning?: number
  /**
   * Whether a query is so small that large ones run side by side as if it had not arrived. By default,
   * none is.
   */
  isTiny?: (query: Query) => boolean
  /**
   * The number of small queries at which a statement is sent at once if none is running, without
   * waiting for the others that have arrived with them. The callers of those are read while it
   * runs; otherwise, clients that send the next call after each response would all wait for the same
   * statement, and this process with them. By default, a statement waits for all.
   */
  burst?: number
}

/** Queries with more rows use a separate lane: they share statements only with each other. */
const maxSmallRows = 100

/**
 * After this many statements of large queries without a small query in between, unless it is tiny, up to
 * `maxRunning` of them may run concurrently.
 */
const minQuietStatements = 2

/** The maximum number of waiting queries of one caller in each lane. */
const maxWaiting = { small: 5000, large: 256 }

type Entry<Query, Result> = {
  query: Query
  rows: number
  lane: Lane<Query, Result>
  resolve: (result: Result) => void
  reject: (error: unknown) => void
  scope: RequestScope | undefined
  onAbort: () => void
  /** The batch that contains the query, once it has been sent. */
  batch: Batch | undefined
}

/** A running statement and the number of callers that still wait for it. */
type Batch = { waiting: number; abort(): void }

/** The waiting queries and running statements of one size class. */
type Lane<Query, Result> = {
  /** In order of arrival. */
  arrivals: Entry<Query, Result>[]
  /**
   * Queries that did not fit into a statement, by caller. Callers are in the order of their next
   * turn.
   */
  queues: Map<string, Entry<Query, Result>[]>
  count: number
  rows: number
  /** The number of running statements. */
  running: number
  maxWaitingPerCaller: number
}

/**
 * Returns a function that batches concurrent queries into one statement. `run` executes the
 * statement and returns a result for each query, in order.
 *
 * A query never joins a statement that was already sent, so its result includes every write that
 * was acknowledged before the call. A failed statement fails only its own queries. A caller whose
 * scope is aborted stops waiting; `run` executes in a request scope that is aborted once all
 * callers have.
 *
 * If not all waiting queries fit into a statement, their callers take turns
 * (see docs/decisions/limits.md#turns-of-waiting-calls). The function rejects
 * with `resource_exhausted` when too many queries of one caller wait.
 */
export function createBatcher<Query, Result>(
  run: (queries: Query[]) => Promise<Result[]>,
  options: BatcherOptions<Query> = {},
): (query: Query, scope?: RequestScope) => Promise<Result> {
  const { countRows = () => 1, callerOf = () => '', maxBatchRows = 1000, maxRunning = 2 } = options
  const { burst = Number.POSITIVE_INFINITY, isTiny = () => false } = options
  const small = createLane<Query, Result>(maxWaiting.small)
  const large = createLane<Query, Result>(maxWaiting.large)
  /** Statements of large queries that ended since the last small query arrived. */
  let quietStatements = 0
  let isScheduled = false

  function schedule() {
    if (isScheduled || !nextLane()) return
    isScheduled = true
    setImmediate(send)
  }

  /**
   * Small queries never wait for large ones: alongside small queries, large ones run one statement
   * at a time.
   */
  function nextLane(): Lane<Query, Result> | undefined {
    if (small.rows > 0 && small.running < maxRunning) return small
    const maxLarge = quietStatements < minQuietStatements ? 1 : maxRunning
    return large.rows > 0 && large.running < maxLarge ? large : undefined
  }

  async function send(): Promise<void> {
    isScheduled = false
    const lane = nextLane()
    if (!lane) return
    const entries = takeBatch(lane, maxBatchRows, callerOf)
    lane.running += 1
    schedule()
    const controller = new AbortController()
    const { signal } = controller
    const batch = { waiting: entries.length, abort: () => controller.abort() }
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
      lane.running -= 1
      if (lane === large) quietStatements += 1
      schedule()
    }
  }

  function cancel(entry: Entry<Query, Result>) {
    entry.reject(callCancelled())
    const { batch } = entry
    if (!batch) return removeWaiting(entry, callerOf)
    batch.waiting -= 1
    if (batch.waiting === 0) batch.abort()
  }

  return (query, scope) =>
    new Promise((resolve, reject) => {
      if (scope?.signal.aborted) throw callCancelled()
      const rows = countRows(query)
      const lane = rows > maxSmallRows ? large : small
      const entry: Entry<Query, Result> = {
        query,
        rows,
        lane,
        resolve,
        reject,
        scope,
        onAbort: () => cancel(entry),
        batch: undefined,
      }
      addWaiting(entry, callerOf)
      if (lane === small && !isTiny(query)) quietStatements = 0
      scope?.signal.addEventListener('abort', entry.onAbort)
      if (small.running === 0 && small.count === burst) void send()
      else schedule()
    })
}

function createLane<Query, Result>(maxWaitingPerCaller: number): Lane<Query, Result> {
  return { arrivals: [], queues: new Map(), count: 0, rows: 0, running: 0, maxWaitingPerCaller }
}

function addWaiting<Query, Result>(
  entry: Entry<Query, Result>,
  callerOf: (query: Query) => string,
): void {
  const { lane } = entry
  if (lane.count >= lane.maxWaitingPerCaller) {
    queueArrivals(lane, callerOf)
    const queue = lane.queues.get(callerOf(entry.query)) ?? []
    if (queue.length >= lane.maxWaitingPerCaller) throw tooManyConcurrentRequests()
  }
  lane.arrivals.push(entry)
  lane.count += 1
  lane.rows += entry.rows
}

function removeWaiting<Query, Result>(
  entry: Entry<Query, Result>,
  callerOf: (query: Query) => string,
): void {
  const { lane } = entry
  queueArrivals(lane, callerOf)
  const caller = callerOf(entry.query)
  const queue = lane.queues.get(caller) ?? []
  const index = queue.indexOf(entry)
  if (index === -1) return
  queue.splice(index, 1)
  if (queue.length === 0) lane.queues.delete(caller)
  lane.count -= 1
  lane.rows -= entry.rows
}

/**
 * Groups queries by caller only when necessary: when not all waiting queries fit into one
 * statement.
 */
function queueArrivals<Query, Result>(
  { arrivals, queues }: Lane<Query, Result>,
  callerOf: (query: Query) => string,
): void {
  for (const entry of arrivals) {
    const caller = callerOf(entry.query)
    const queue = queues.get(caller)
    if (queue) queue.push(entry)
    else queues.set(caller, [entry])
  }
  arrivals.length = 0
}

/**
 * Takes the queries of the next statement: all waiting queries or, if they do not fit, one of each
 * caller in turn until it is full.
 */
function takeBatch<Query, Result>(
  lane: Lane<Query, Result>,
  maxRows: number,
  callerOf: (query: Query) => string,
): Entry<Query, Result>[] {
  if (lane.rows <= maxRows) {
    const entries =
      lane.queues.size === 0 ? lane.arrivals : [...lane.queues.values(), lane.arrivals].flat()
    lane.arrivals = []
    lane.queues.clear()
    lane.count = 0
    lane.rows = 0
    return entries
  }
  queueArrivals(lane, callerOf)
  const { queues } = lane
  const entries: Entry<Query, Result>[] = []
  let rows = 0
  // A caller whose query is taken moves to the end of the map, where the loop reaches it again.
  for (const [caller, queue] of queues) {
    const [next] = queue
    if (!next || (rows > 0 && rows + next.rows > maxRows)) break
    queue.shift()
    entries.push(next)
    rows += next.rows
    queues.delete(caller)
    if (queue.length > 0) queues.set(caller, queue)
  }
  lane.count -= entries.length
  lane.rows -= rows
  return entries
}

function stopListening({
  scope,
  onAbort,
}: Pick<Entry<unknown, unknown>, 'scope' | 'onAbort'>): void {
  scope?.signal.removeEventListener('abort', onAbort)
}
