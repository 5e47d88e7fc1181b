import { Server } from 'node:net'
import { setImmediate as nextPhase } from 'node:timers/promises'

/** Milliseconds of a turn of the event loop in which little happens. */
const quiet = 0.2

/** Milliseconds after which a turn may take longer. */
const patience = 500

/** The number of connections that the system keeps for a server to accept, by default. */
export const backlog = 511

/**
 * Stops listening. Connections stay open, unlike with the `close` of HTTP servers; `onEnd` is
 * called when all of them have ended.
 *
 * The system resets connections that have not been accepted, and a turn of the event loop accepts at
 * most one. Therefore the server stops right after a turn that found none and did little else, or after
 * accepting all that waited at the beginning.
 * See docs/decisions/operation.md#when-a-draining-node-stops-listening.
 */
export async function stopAccepting(server: Server, onEnd?: () => void): Promise<void> {
  let accepted = 0
  const count = () => {
    accepted += 1
  }
  server.on('connection', count)
  const startedAt = performance.now()
  for (;;) {
    const turn = performance.now()
    const before = accepted
    await nextPhase()
    const now = performance.now()
    const isShort = now - turn <= quiet
    const isLate = now - startedAt > patience
    if (accepted === before ? isShort || isLate : isLate && accepted > backlog) break
  }
  server.off('connection', count)
  Server.prototype.close.call(server, onEnd)
}
