import type {
  HeldPairs,
  Pair,
  PairedMember,
  PairedResource,
  SufficientGrants,
} from '../permissions/engine/grants/access-pairs.ts'
import { partsOf } from '../permissions/engine/grants/grant-kinds.ts'

const parts = partsOf('accessPairs').map(({ part }) => part)

/**
 * Returns the pairs of the own grants of a resource, each once. Of two grants with the same pair, one
 * without a condition counts more, then the one that ends later.
 */
export function pairsOf(resource: PairedResource): Pair[] {
  const pairs = new Map<string, Pair>()
  for (const pair of parts.flatMap(({ accepted }) => accepted(resource))) {
    const name = `${pair.holder} ${pair.level}`
    const other = pairs.get(name)
    if (!other || countsMore(pair, other)) pairs.set(name, pair)
  }
  return [...pairs.values()]
}

function countsMore(pair: Pair, other: Pair): boolean {
  if (pair.isMaybe !== other.isMaybe) return !pair.isMaybe
  return endOf(pair) > endOf(other)
}

function endOf({ until }: Pair): number {
  return until?.getTime() ?? Number.POSITIVE_INFINITY
}

/** Returns the pairs that a member holds because of what suffices for an action. */
export function pairsHeldBy(member: PairedMember, sufficient: SufficientGrants): HeldPairs[] {
  return parts
    .map(({ held }) => held(member, sufficient))
    .filter(({ holders, levels }) => holders.length > 0 && levels.length > 0)
}
