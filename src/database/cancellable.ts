import type { ClientBase } from 'pg'
import { callCancelled } from '../core/cancellation.ts'
import type { RequestScope } from '../core/request-scope.ts'

/** Asks PostgreSQL to give up what the connection with this process id is doing. */
export type CancelBackend = (processId: number) => Promise<void>

/**
 * Runs a statement of `client` that stops when its scope goes. It ends no sooner than the
 * cancellation has been answered, so that it can't hit the client's next statement.
 */
export async function cancellable<Result>(
  client: ClientBase,
  scope: RequestScope | undefined,
  cancel: CancelBackend,
  run: () => Promise<Result>,
): Promise<Result> {
  if (!scope) return run()
  if (scope.signal.aborted) throw callCancelled()
  let cancelling: Promise<void> | undefined
  const onAbort = () => {
    // pg knows it from the connection's first words; its types do not say so.
    const { processID } = client as ClientBase & { processID: number }
    cancelling = cancel(processID).catch(() => {})
  }
  scope.signal.addEventListener('abort', onAbort)
  try {
    return await run()
  } finally {
    scope.signal.removeEventListener('abort', onAbort)
    if (cancelling) await cancelling
  }
}
