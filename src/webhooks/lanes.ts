import { createSemaphore } from '../core/semaphore.ts'

export type LanesOptions<Job> = {
  /** The number of jobs that occupy a lane at the same time. */
  size: number
  take: (limit: number) => Promise<Job[]>
  /** Runs a job, which keeps its lane until it ends or calls `leave`. */
  run: (job: Job, leave: () => void) => Promise<void>
  /** Begins work for which nothing waits. */
  start: (work: Promise<void>) => void
}

/**
 * Creates lanes for jobs. The returned function takes jobs into the free ones and does not wait for
 * them. If there may be more jobs, it runs again by itself once half of the lanes are free.
 */
export function createLanes<Job>({ size, take, run, start }: LanesOptions<Job>) {
  const occupied = new Set<Job>()
  const inTurn = createSemaphore(1)
  let hasMore = false

  async function takeFree(): Promise<void> {
    const free = size - occupied.size
    if (free === 0) return
    const taken = await take(free)
    hasMore = taken.length === free
    for (const job of taken) {
      occupied.add(job)
      const leave = () => leaveLane(job)
      start(run(job, leave).finally(leave))
    }
  }

  function leaveLane(job: Job): void {
    if (!occupied.delete(job) || !hasMore || occupied.size > size / 2) return
    hasMore = false
    start(fill())
  }

  const fill = () => inTurn(takeFree)
  return fill
}
