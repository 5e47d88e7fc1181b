import { IsolationLevel } from '@mikro-orm/core'
import type { EntityManager } from '@mikro-orm/postgresql'
import { countErasedValues, hashEntry } from './chain.ts'
import {
  type Chain,
  countUnsealedRows,
  findSealedRows,
  isPruningRecorded,
  readChain,
  type SealedRow,
} from './chain-queries.ts'

/**
 * A position in the hash chain, stored outside the database to detect that the chain was rebuilt.
 */
export type ChainPosition = { sequence: number; hash: string }

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
export function verifyActivity(em: EntityManager, expected?: ChainPosition): Promise<Verification> {
  return em.transactional((em) => verifySnapshot(em, expected), {
    isolationLevel: IsolationLevel.REPEATABLE_READ,
    readOnly: true,
  })
}

async function verifySnapshot(
  em: EntityManager,
  expected: ChainPosition | undefined,
): Promise<Verification> {
  const chain = await readChain(em)
  const head = { sequence: chain.first_seq - 1, hash: chain.hash_before_first }
  const result: Verification = {
    entries: 0,
    unsealed: await countUnsealedRows(em),
    erased: 0,
    head,
    problem: undefined,
  }
  const fail = (problem: string) => ({ ...result, problem })
  if (chain.first_seq > 1 && !(await isPruningRecorded(em, chain))) {
    return fail(`The entries before ${chain.first_seq} were deleted without a record.`)
  }
  let isExpectedFound = expected === undefined || isAt(head, expected)
  let newest = 0
  for (let after = Number.MIN_SAFE_INTEGER; ; ) {
    const rows = await findSealedRows(em, after, pageSize)
    for (const row of rows) {
      const problem = findProblem(row, head, chain, newest)
      if (problem) return fail(problem)
      result.erased += countErasedValues(row, personalDigestsOf(row)) ?? 0
      result.entries += 1
      head.sequence = row.seal_seq
      head.hash = row.seal_hash as string
      newest = Math.max(newest, Date.parse(row.created_at))
      if (expected && isAt(head, expected)) isExpectedFound = true
    }
    if (rows.length < pageSize) break
    after = head.sequence
  }
  if (head.sequence < chain.last_seq) return fail(describeGap(head.sequence + 1, chain.last_seq))
  if (head.hash !== chain.last_hash) return fail(`Entry ${head.sequence} was changed.`)
  if (!isExpectedFound) {
    return fail(`Entry ${expected?.sequence} does not have the expected hash, or was deleted.`)
  }
  return result
}

function isAt(head: ChainPosition, { sequence, hash }: ChainPosition): boolean {
  return head.sequence === sequence && head.hash === hash
}

function findProblem(
  row: SealedRow,
  head: ChainPosition,
  chain: Chain,
  newest: number,
): string | undefined {
  const { seal_seq: sequence, id } = row
  const name = `Entry ${sequence} (${id})`
  if (sequence <= head.sequence || sequence > chain.last_seq) return `${name} was inserted.`
  if (sequence > head.sequence + 1) return describeGap(head.sequence + 1, sequence - 1)
  const digests = personalDigestsOf(row)
  const hash = hashEntry(head.hash, sequence, row, digests.digests)
  if (hash !== row.seal_hash || countErasedValues(row, digests) === undefined) {
    return `${name} was changed.`
  }
  return Date.parse(row.created_at) < newest - maxDelay
    ? `${name} was inserted: it claims to be older than entries that were sealed before it.`
    : undefined
}

function personalDigestsOf({ seal_digests, seal_salts }: SealedRow) {
  return { digests: seal_digests ?? {}, salts: seal_salts ?? {} }
}

function describeGap(first: number, last: number): string {
  return first === last
    ? `Entry ${first} was deleted.`
    : `The entries ${first} to ${last} were deleted.`
}
