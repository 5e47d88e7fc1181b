import {
  countErasedValues,
  coversAgents,
  hashEntry,
  isKnownSealVersion,
  type PersonalDigests,
} from './chain.ts'
import type { ChainEnds, ChainStore, Seal, SealedEntry } from './store/chain-store.ts'

/**
 * A position in the hash chain, stored outside the database to detect that the chain was rebuilt.
 */
export type ChainPosition = Seal

/** The result of verifying the hash chain. */
export type Verification = {
  /** The number of verified entries. */
  entries: number
  /** The number of entries that are recorded but not sealed yet. */
  unsealed: number
  /** The number of personal values that were erased. */
  erased: number
  /** The position of the last verified entry. */
  head: ChainPosition
  /** What is wrong with the first invalid entry, or undefined if the chain is intact. */
  problem: string | undefined
}

/** The number of entries in memory at a time. */
const pageSize = 1000

/**
 * The maximum time in milliseconds by which an entry may be older than the entries before it. No
 * transaction takes longer.
 */
const maxDelay = 3_600_000

/**
 * Recomputes the hash chain and reports the first entry that was changed, deleted or inserted.
 * Reads a snapshot of the log, so it can run while servers are running.
 */
export function verifyActivity(
  { chain }: { chain: ChainStore },
  expected?: ChainPosition,
): Promise<Verification> {
  return chain.readSnapshot((chain) => verifySnapshot(chain, expected))
}

async function verifySnapshot(
  chain: ChainStore,
  expected: ChainPosition | undefined,
): Promise<Verification> {
  const ends = await chain.readEnds()
  const head = { sequence: ends.firstSequence - 1, hash: ends.hashBeforeFirst }
  const result: Verification = {
    entries: 0,
    unsealed: await chain.countUnsealed(),
    erased: 0,
    head,
    problem: undefined,
  }
  const fail = (problem: string) => ({ ...result, problem })
  if (ends.firstSequence > 1 && !(await chain.isPruningRecorded(ends))) {
    return fail(`The entries before ${ends.firstSequence} were deleted without a record.`)
  }
  let isExpectedFound = expected === undefined || isAt(head, expected)
  let newest = 0
  let mayHaveAgents = false
  for (let after = Number.MIN_SAFE_INTEGER; ; ) {
    const entries = await chain.findSealed(after, pageSize)
    for (const entry of entries) {
      mayHaveAgents ||= coversAgents(entry.version)
      const problem = findProblem(entry, head, ends, newest, mayHaveAgents)
      if (problem) return fail(problem)
      result.erased += countErasedValues(entry, personalDigestsOf(entry)) ?? 0
      result.entries += 1
      head.sequence = entry.sequence
      head.hash = entry.hash as string
      newest = Math.max(newest, Date.parse(entry.createdAt))
      if (expected && isAt(head, expected)) isExpectedFound = true
    }
    if (entries.length < pageSize) break
    after = head.sequence
  }
  if (head.sequence < ends.lastSequence) {
    return fail(describeGap(head.sequence + 1, ends.lastSequence))
  }
  if (head.hash !== ends.lastHash) return fail(`Entry ${head.sequence} was changed.`)
  if (!isExpectedFound) {
    return fail(`Entry ${expected?.sequence} does not have the expected hash, or was deleted.`)
  }
  return result
}

function isAt(head: ChainPosition, { sequence, hash }: ChainPosition): boolean {
  return head.sequence === sequence && head.hash === hash
}

function findProblem(
  entry: SealedEntry,
  head: ChainPosition,
  ends: ChainEnds,
  newest: number,
  mayHaveAgents: boolean,
): string | undefined {
  const { sequence, id, version } = entry
  const name = `Entry ${sequence} (${id})`
  if (sequence <= head.sequence || sequence > ends.lastSequence) return `${name} was inserted.`
  if (sequence > head.sequence + 1) return describeGap(head.sequence + 1, sequence - 1)
  if (!isKnownSealVersion(version))
    return `${name} has a seal of version ${version}, which this version of daikon cannot verify.`
  const digests = personalDigestsOf(entry)
  const hash = hashEntry(head.hash, sequence, entry, digests.digests, version)
  if (hash !== entry.hash || countErasedValues(entry, digests) === undefined) {
    return `${name} was changed.`
  }
  // A node of an earlier version does not cover the agent of an entry that it seals during a rollout. Before
  // the first seal of this version, there were no agents.
  if (!mayHaveAgents && hasAgent(entry)) return `${name} was changed.`
  return Date.parse(entry.createdAt) < newest - maxDelay
    ? `${name} was inserted: it claims to be older than entries that were sealed before it.`
    : undefined
}

function hasAgent({ agentType, agentId, delegationId }: SealedEntry): boolean {
  return agentType !== null || agentId !== null || delegationId !== null
}

function personalDigestsOf({ digests, salts }: SealedEntry): PersonalDigests {
  return { digests: digests ?? {}, salts: salts ?? {} }
}

function describeGap(first: number, last: number): string {
  return first === last
    ? `Entry ${first} was deleted.`
    : `The entries ${first} to ${last} were deleted.`
}
