import type { ClientBase } from 'pg'
import { type Asker, callEnded } from '../rpc/asker.ts'

/** Asks PostgreSQL to give up what the connection with this process id is doing. */
export type Cancel = (processId: number) => Promise<void>

/**
 * Runs a statement of `client` that stops when its asker goes. It ends no sooner than the
 * cancellation has been answered, so that it can't hit the client's next statement.
 */
export async function stoppable<Result>(
  client: ClientBase,
  asker: Asker | undefined,
  cancel: Cancel,
  run: () => Promise<Result>,
): Promise<Result> {
  if (!asker) return run()
  if (asker.isGone()) throw callEnded()
  let cancelling: Promise<void> | undefined
  const forget = asker.onGone(() => {
    // pg knows it from the connection's first words; its types do not say so.
    const { processID } = client as ClientBase & { processID: number }
    cancelling = cancel(processID).catch(() => {})
  })
  try {
    return await run()
  } finally {
    forget()
    if (cancelling) await cancelling
  }
}
