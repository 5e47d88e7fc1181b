import { ServiceError } from './errors.ts'

/** Why one of many objects has not changed. */
export type BulkFailure = { id: string; code: string; reason: string; message: string }

/** The codes of errors after which the other objects would fail, too. */
const general = ['unavailable', 'internal', 'resource_exhausted', 'unauthenticated']

/**
 * Changes objects one after the other, each once. An error of one object does not keep the change from
 * the others.
 *
 * @throws ServiceError if the others would fail for the same cause
 */
export async function changeEach(
  ids: string[],
  change: (id: string) => Promise<unknown>,
): Promise<{ failures: BulkFailure[] }> {
  const failures: BulkFailure[] = []
  for (const id of new Set(ids)) {
    try {
      await change(id)
    } catch (error) {
      if (!(error instanceof ServiceError) || general.includes(error.code)) throw error
      failures.push({ id, code: error.code, reason: error.reason, message: error.message })
    }
  }
  return { failures }
}
