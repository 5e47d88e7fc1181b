import { ServiceError } from './errors.ts'
import type { Transactional } from './request-context.ts'

/** Why one of many objects has not changed. */
export type BulkFailure = { id: string; code: string; reason: string; message: string }

/** The codes of errors after which the other objects would fail, too. */
const general = ['unavailable', 'internal', 'resource_exhausted', 'unauthenticated']

/**
 * The number of objects that change in one transaction. More would save little, and keep others
 * waiting for the locks. PostgreSQL is slow with more than 64 savepoints.
 */
const transactionSize = 25

/**
 * Changes objects one after the other, each once, several in a transaction. `change` uses `tx`, and
 * its own transaction there, a savepoint. An error of one object does not keep the change from the others.
 *
 * @throws ServiceError if the others would fail for the same cause. Some may have changed.
 */
export async function changeEach<Stores>(
  stores: Transactional<Stores>,
  ids: string[],
  change: (tx: Transactional<Stores>, id: string) => Promise<unknown>,
): Promise<{ failures: BulkFailure[] }> {
  const failures = new Map<string, BulkFailure>()
  // In the order in which transactions lock rows.
  const sorted = [...new Set(ids)].sort()
  for (let start = 0; start < sorted.length; start += transactionSize) {
    const group = sorted.slice(start, start + transactionSize)
    const groupFailures = await stores.transaction(async (tx) => {
      const found: BulkFailure[] = []
      for (const id of group) {
        try {
          await change(tx, id)
        } catch (error) {
          if (!(error instanceof ServiceError) || general.includes(error.code)) throw error
          found.push({ id, code: error.code, reason: error.reason, message: error.message })
        }
      }
      return found
    })
    for (const failure of groupFailures) failures.set(failure.id, failure)
  }
  return { failures: [...new Set(ids)].flatMap((id) => failures.get(id) ?? []) }
}
