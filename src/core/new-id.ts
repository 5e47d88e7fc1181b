import { randomFillSync } from 'node:crypto'
import { v7 } from 'uuid'

const randomBytes = 16

/** Asking the system for the random bytes of each ID would take six times as long as the rest. */
const pool = new Uint8Array(256 * randomBytes)
let used = pool.length

let milliseconds = 0
/** Counts the IDs of a millisecond, in 32 bits. */
let sequence = 0

/**
 * Returns a new UUID of version 7 (RFC 9562, section 5.7). It is greater than the ones before it in this
 * process, so that rows that are created together can be sorted by it.
 */
export function newId(): string {
  if (used === pool.length) {
    randomFillSync(pool)
    used = 0
  }
  const random = pool.subarray(used, used + randomBytes)
  used += randomBytes
  advance(random)
  return v7({ random, msecs: milliseconds, seq: sequence })
}

/** The sequence begins at random in its lower half. If it ends, the clock runs ahead (section 6.2, method 1). */
function advance(random: Uint8Array): void {
  const now = Date.now()
  if (now > milliseconds) {
    milliseconds = now
    sequence = new DataView(random.buffer, random.byteOffset).getUint32(0) >>> 1
    return
  }
  sequence = (sequence + 1) >>> 0
  if (sequence === 0) milliseconds += 1
}
