/** Work that each node does repeatedly while it runs. */
export type Job = {
  /** What the log says if a run fails, such as "Deleting expired shares failed". */
  failure: string
  /** Milliseconds before each run. */
  interval: number
  run: () => Promise<JobResult>
}

/** Whether a job has more to do, and runs again immediately. */
export type JobResult = 'more' | 'done'

export function moreIf(hasMore: boolean): JobResult {
  return hasMore ? 'more' : 'done'
}

/** Returns the run of a job that never leaves work for an immediate next run. */
export function untilDone(work: () => Promise<unknown>): () => Promise<JobResult> {
  return async () => {
    await work()
    return 'done'
  }
}
