import type { Harness } from './harness.ts'
import { measureFollower } from './lists/measure-follower.ts'
import { measureMove } from './lists/move.ts'
import { documentsOf } from './lists/number-of-documents.ts'
import { measurePages } from './lists/pages.ts'
import type { Row } from './table.ts'

/** Measures lists joined with a copy of access keys, and what keeping that copy current costs. */
export async function measureLists(harness: Harness, addRow: (row: Row) => void): Promise<void> {
  await measurePages(harness, addRow)
  if (documentsOf(harness).isSet) return
  await measureFollower(harness, addRow)
  await measureMove(harness, addRow)
}
