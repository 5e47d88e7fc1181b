import { isDeadlock } from './database-errors.ts'

/** How often work that PostgreSQL chose as a deadlock's victim is tried. */
const tries = 3

/** Does `work`, and again where PostgreSQL gave it up so that others could go on. */
export async function retryDeadlocks<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let left = tries; ; left -= 1) {
    try {
      return await work()
    } catch (error) {
      if (left === 1 || !isDeadlock(error)) throw error
    }
  }
}
