/** The type of the resources that are registered. They are deleted after the measurement. */
export const followedType = 'followed'

/** Seconds that the last events may take to arrive, and those of a burst. */
export const patience = 60

/** Registers resources for some seconds, which watches and webhooks follow. */
export type FollowersJob = {
  /** Whether the watches are open. Otherwise, the job only opens them. */
  isOpen: boolean
  /** The port of the gRPC server. */
  port: number
  watches: number
  /** The number of webhooks that respond. The first one does not. */
  webhooks: number
  /** Registrations per second. */
  pace: number
  seconds: number
  /** The number of resources to register in one call at the end. Nothing is returned without. */
  burst: number
}

/** Milliseconds from the acknowledgement of a registration to the receipt of its event. */
export type Latency = { p50: number; p99: number }

export type FollowersResult = {
  watch?: Latency & { rate: number }
  webhooks?: Latency & { rate: number }
}
