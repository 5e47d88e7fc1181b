/** The state of a primary when it was read. */
export type PrimarySnapshot = {
  /** A pg_snapshot, with the running transactions, which a standby does not list. */
  snapshot: string
  /**
   * Whose transactions the snapshot lists (`facts_identity`, migration 073). Another primary or
   * database differs, as does the same one after a restart or a crash.
   */
  identity: string
}

/**
 * A snapshot that every read includes which waits for `lsn`: the commits of all of its transactions lie
 * before this position of the log.
 */
export type SettledSnapshot = PrimarySnapshot & { lsn: bigint }

/**
 * Returns a function that receives the snapshots of a primary, each with the position up to which the
 * log was written after it was taken and the position up to which it is flushed, and returns the last
 * one that has been flushed.
 *
 * A commit is written before it is visible. It is also flushed before, except with
 * `synchronous_commit = off`: the snapshot could then include a commit that standbys do not have yet.
 */
export function createSettledSnapshots(): (
  latest: SettledSnapshot,
  flushedLsn: bigint,
) => SettledSnapshot | undefined {
  /** Kept until it is flushed, because newer ones may never be while others write. */
  let pending: SettledSnapshot | undefined
  let settled: SettledSnapshot | undefined

  function settle(candidate: SettledSnapshot, flushedLsn: bigint): boolean {
    if (candidate.lsn > flushedLsn) return false
    if (settled === undefined || candidate.lsn > settled.lsn) settled = candidate
    return true
  }

  return (latest, flushedLsn) => {
    if (settled?.identity !== latest.identity) settled = undefined
    if (pending?.identity !== latest.identity) pending = undefined
    if (pending && settle(pending, flushedLsn)) pending = undefined
    if (!settle(latest, flushedLsn)) pending ??= latest
    return settled
  }
}
