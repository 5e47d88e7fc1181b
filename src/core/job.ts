/** Work that each node does repeatedly while it runs. */
export type Job = {
  /** What the log says if a run fails, such as "Deleting expired shares failed". */
  failure: string
  /** Milliseconds before each run. */
  interval: number
  /** Resolves to true if there is more to do, so that the job runs again immediately. */
  run: () => Promise<unknown>
}
