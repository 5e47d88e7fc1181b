import type { Harness } from '../harness.ts'

/**
 * The number of documents of the copy whose pages are measured. `isSet` if BENCH_LIST_DOCUMENTS is; then
 * nothing but pages is measured.
 */
export function documentsOf({ quick }: Pick<Harness, 'quick'>): { count: number; isSet: boolean } {
  const set = process.env.BENCH_LIST_DOCUMENTS
  return { count: Number(set ?? (quick ? 20_000 : 1_000_000)), isSet: set !== undefined }
}
