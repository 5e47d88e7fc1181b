/**
 * A position in the write-ahead log of a cluster. Only positions of one timeline can be compared.
 */
export type LogPosition = {
  /** The system identifier and the database, which a primary shares with its standbys. */
  system: string
  timeline: number
  lsn: bigint
}

/** What a server reports about itself. */
export type ReplicaObservation = {
  system: string
  isStandby: boolean
  /** The timeline that it receives, or undefined while it is not connected to its primary. */
  timeline: number | undefined
  replayedLsn: bigint
}

/** Whether a replica can be read, or why not. */
export type ReplicaStatus =
  | 'ok'
  /** It has not been probed yet. */
  | 'connecting'
  /** It had not replayed the required position in time. */
  | 'lagging'
  /** It did not respond in time. */
  | 'unresponsive'
  /** It rejects connections or statements. */
  | 'unavailable'
  /** It is not connected to its primary, so its timeline is unknown. */
  | 'not_streaming'
  /** It accepts writes, so it is not a standby. */
  | 'primary'
  | 'other_cluster'
  | 'other_timeline'
  /** Its clock differs from the primary's, so shares would expire at a different time. */
  | 'clock_skew'

export const replicaStatuses: readonly ReplicaStatus[] = [
  'ok',
  'connecting',
  'lagging',
  'unresponsive',
  'unavailable',
  'not_streaming',
  'primary',
  'other_cluster',
  'other_timeline',
  'clock_skew',
]

/**
 * Returns `ok` if everything that the primary had written up to `required` is visible on the
 * replica.
 */
export function assessReplica(
  { system, isStandby, timeline, replayedLsn }: ReplicaObservation,
  required: LogPosition,
): ReplicaStatus {
  if (system !== required.system) return 'other_cluster'
  if (!isStandby) return 'primary'
  if (timeline === undefined) return 'not_streaming'
  if (timeline !== required.timeline) return 'other_timeline'
  return replayedLsn >= required.lsn ? 'ok' : 'lagging'
}

/**
 * Returns the replica with the least outstanding work among those that can be read; ties go to the
 * one that has served the fewest reads. Returns undefined if none can be read.
 */
export function chooseReplica<
  Candidate extends { status: ReplicaStatus; outstanding: number; reads: number },
>(candidates: Candidate[]): Candidate | undefined {
  let best: Candidate | undefined
  for (const candidate of candidates) {
    if (candidate.status !== 'ok') continue
    if (best === undefined || hasLessWork(candidate, best)) best = candidate
  }
  return best
}

type Work = { outstanding: number; reads: number }

function hasLessWork(one: Work, other: Work): boolean {
  if (one.outstanding !== other.outstanding) return one.outstanding < other.outstanding
  return one.reads < other.reads
}

/** Parses a pg_lsn such as `16/B374D848`. */
export function parseLsn(text: string): bigint {
  const [, high, low] = /^([\dA-F]{1,8})\/([\dA-F]{1,8})$/i.exec(text) ?? []
  if (high === undefined || low === undefined) throw new Error(`Invalid pg_lsn: ${text}`)
  return (BigInt(`0x${high}`) << 32n) | BigInt(`0x${low}`)
}

/** Returns the timeline of a WAL file: the first eight hexadecimal digits of its name. */
export function parseTimeline(walFile: string): number {
  const timeline = Number.parseInt(walFile.slice(0, 8), 16)
  if (Number.isNaN(timeline)) throw new Error(`Invalid name of a WAL file: ${walFile}`)
  return timeline
}
