import { Server } from 'node:net'
import { setImmediate as nextPhase } from 'node:timers/promises'

/** Milliseconds of a turn of the event loop in which little happens. */
const quiet = 0.2

/** Milliseconds to wait for such a turn. */
const patience = 500

/**
 * Stops listening and calls back when all connections have ended, which stay open, unlike with the
 * `close` of HTTP servers. The system resets connections that have not been accepted, so the
 * server stops right after a turn of the event loop that has accepted them and done little else.
 */
export async function stopAccepting(server: Server, onEnd?: () => void): Promise<void> {
  const startedAt = performance.now()
  let turn = startedAt
  do {
    turn = performance.now()
    await nextPhase()
  } while (performance.now() - turn > quiet && performance.now() - startedAt < patience)
  Server.prototype.close.call(server, onEnd)
}
