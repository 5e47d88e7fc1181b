import type { KeptText } from '../../gen/daikon/v1/admin_user_data.ts'
import type { KeptTextStore } from './store/kept-text-store.ts'

/**
 * Counts what still names an erased user. PostgreSQL cancels a count that takes too long; the kind and
 * those after it are then listed without a count. Never fails, because the user has been erased.
 */
export async function countKeptTexts(
  keptTexts: KeptTextStore,
  pattern: string | undefined,
): Promise<KeptText[]> {
  if (pattern === undefined) return []
  const kept: KeptText[] = []
  let hasFailed = false
  for (const kind of keptTexts.kinds()) {
    if (hasFailed) kept.push({ kind })
    else {
      try {
        const count = await keptTexts.count(kind, pattern)
        if (count > 0) kept.push({ kind, count })
      } catch {
        hasFailed = true
        kept.push({ kind })
      }
    }
  }
  return kept
}
