import pg, { type PoolClient } from 'pg'
import { callCancelled } from '../core/errors.ts'
import { type RequestScope, requestScope } from '../core/request-scope.ts'
import { withSpan } from '../core/trace.ts'
import { isConnectionUsable } from './pool.ts'

/** Cancels the running statement of the connection with this process ID. */
export type CancelBackend = (processId: number) => Promise<void>

type Release = PoolClient['release']

/**
 * Statements that are never cancelled: they are quick, and a transaction must end even if its
 * caller has disconnected.
 */
const transactionControl = /^\s*(begin|start|commit|rollback|savepoint|release)\b/i

/**
 * Creates the client class of a pool (the `Client` option of pg.Pool). Its clients extend pg's:
 *
 * - A statement is cancelled when the request scope in which it runs is aborted.
 * - A statement has a span when its request is traced.
 * - A client whose connection is lost, does not respond or is no longer usable ends and returns to its
 *   pool by itself.
 *   Kysely never releases a client whose BEGIN, COMMIT or ROLLBACK fails (kysely#1990), so without
 *   this each outage would shrink the pool.
 *
 * Without `cancelBackend`, statements run to completion.
 */
export function createClientClass(cancelBackend?: CancelBackend): new () => pg.Client {
  return class PooledClient extends pg.Client {
    #release: Release | undefined

    constructor(config?: pg.ClientConfig) {
      super(config)
      this.once('end', () => setImmediate(() => this.#release?.(true)))
    }

    /** Set by the pool each time it hands out the client. */
    set release(release: Release) {
      let isReleased = false
      this.#release = (destroy) => {
        if (isReleased) return
        isReleased = true
        release(destroy)
      }
    }

    get release(): Release | undefined {
      return this.#release
    }

    override query(...args: never[]): never {
      return this.#query(args) as never
    }

    async #query(args: never[]): Promise<unknown> {
      const send = () => this.#send(args)
      const scope = requestScope.getStore()
      if (!scope) return send()
      const { name, text } = readStatement(args[0])
      const run = transactionControl.test(text) ? send : () => this.#sendCancellable(scope, send)
      if (!scope.span) return run()
      return withSpan(scope.span, name, createAttributes(text), run)
    }

    async #send(args: never[]): Promise<unknown> {
      try {
        return await (super.query(...(args as unknown as [string])) as Promise<unknown>)
      } catch (error) {
        if (!(error instanceof pg.DatabaseError)) this.#abandon()
        else if (!isConnectionUsable(error)) void this.end()
        throw error
      }
    }

    /**
     * PostgreSQL did not respond, so a ROLLBACK on this connection would also hang. PostgreSQL
     * notices a lost client only when the statement ends, so cancel the statement.
     */
    #abandon(): void {
      void this.end()
      void this.#cancelStatement()
    }

    async #cancelStatement(): Promise<void> {
      // Set by pg when it connects, but missing from its types.
      const { processID } = this as unknown as { processID: number | null }
      if (processID && cancelBackend) await cancelBackend(processID).catch(() => {})
    }

    /** Waits until a cancellation has been processed, so that it cannot hit the next statement. */
    async #sendCancellable<Result>(
      { signal }: RequestScope,
      send: () => Promise<Result>,
    ): Promise<Result> {
      if (!cancelBackend) return send()
      if (signal.aborted) throw callCancelled()
      let cancelling: Promise<void> | undefined
      const onAbort = () => {
        cancelling = this.#cancelStatement()
      }
      signal.addEventListener('abort', onAbort)
      try {
        return await send()
      } finally {
        signal.removeEventListener('abort', onAbort)
        if (cancelling) await cancelling
      }
    }
  } as new () => pg.Client
}

/** Returns SQL and span name for pg's two call styles: query(text) and query({ name, text }). */
function readStatement(query: string | { name?: string; text?: string } | undefined) {
  const text = typeof query === 'string' ? query : (query?.text ?? '')
  const name = typeof query === 'string' ? undefined : query?.name
  return { text, name: name ?? text.trim().split(/\s+/, 1)[0] ?? 'sql' }
}

/** Removes literals, because the ORM writes values into the text. */
function createAttributes(sql: string) {
  const summary = sql
    .replace(/'(?:[^']|'')*'/g, '?')
    .replace(/\s+/g, ' ')
    .trim()
  return { 'db.system.name': 'postgresql', 'db.query.text': summary.slice(0, 300) }
}
