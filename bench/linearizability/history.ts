import { appendFileSync, writeFileSync } from 'node:fs'

/** What a call does to the facts of its lane; all ways to read are one operation. */
export type Operation =
  | 'register'
  | 'unregister'
  | 'share'
  | 'revoke'
  | 'remove'
  | 'invite'
  | 'deactivate'
  | 'activate'
  | 'read'

/** Records calls as JSON lines, which the checker reads. */
export type History = {
  /** The calls that were recorded. */
  readonly count: number
  /**
   * Runs and records a call. `send` returns whether a write was accepted or a read allowed the action, and
   * undefined if that is unknown. Reads with an unknown result are not recorded.
   */
  record(
    lane: number,
    client: number,
    op: Operation,
    send: () => Promise<boolean | undefined>,
  ): Promise<boolean | undefined>
  /** Writes the lines that are in memory. */
  flush(): void
}

/** Lines that are written at once. */
const maxLines = 1000

/** Creates the history in a file. */
export function createHistory(path: string): History {
  let lines: string[] = []
  let count = 0
  writeFileSync(path, '')

  function flush() {
    appendFileSync(path, lines.map((line) => `${line}\n`).join(''))
    lines = []
  }

  return {
    get count() {
      return count
    },
    async record(lane, client, op, send) {
      const called = nanoseconds()
      const accepted = await send()
      const returned = nanoseconds()
      const isUnknown = accepted === undefined
      if (isUnknown && op === 'read') return accepted
      const result = isUnknown ? {} : { accepted, returned }
      lines.push(JSON.stringify({ lane, client, op, called, ...result }))
      count += 1
      if (lines.length >= maxLines) flush()
      return accepted
    },
    flush,
  }
}

function nanoseconds(): number {
  return Math.round(performance.now() * 1e6)
}
