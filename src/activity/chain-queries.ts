import type { EntityManager } from '@mikro-orm/postgresql'
import { query } from '../database/query.ts'
import type { ChainEntry } from './chain.ts'

/**
 * The start and the end of the hash chain. If the chain is empty, `last_seq` is less than
 * `first_seq`.
 */
export type Chain = {
  first_seq: number
  hash_before_first: string
  last_seq: number
  last_hash: string
}

const entryColumns = `id, action, target_type, target_id, actor_id, workspace_id, detail,
  to_char(created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as created_at,
  service_app_id, key_prefix, request_id, ip`

/**
 * Locks the chain until the end of the transaction and returns it, or undefined if another node has
 * locked it.
 */
export async function lockChain(em: EntityManager): Promise<Chain | undefined> {
  const [lock] = await query<{ acquired: boolean }>(
    em,
    "select pg_try_advisory_xact_lock(hashtext('daikon activity chain')) as acquired",
  )
  return lock?.acquired ? readChain(em) : undefined
}

export async function readChain(em: EntityManager): Promise<Chain> {
  const [chain] = await query<Chain>(
    em,
    `select first_seq::float8, hash_before_first, last_seq::float8, last_hash from activity_chain`,
  )
  if (!chain) throw new Error('The table activity_chain is empty')
  return chain
}

/**
 * Returns entries that are not sealed yet, and locks them, so that no value is erased while its
 * digest is computed.
 */
export function findUnsealedRows(em: EntityManager, limit: number): Promise<ChainEntry[]> {
  return query(
    em,
    `select ${entryColumns} from activity where seal_seq is null order by id limit $1 for update`,
    [limit],
  )
}

export async function countUnsealedRows(em: EntityManager): Promise<number> {
  const sql = 'select count(*)::int as count from activity where seal_seq is null'
  const [row] = await query<{ count: number }>(em, sql)
  return row?.count ?? 0
}

export type SealedRow = ChainEntry & {
  seal_seq: number
  seal_hash: string | null
  seal_digests: Record<string, string> | null
  seal_salts: Record<string, string> | null
}

/** Returns sealed entries in the order of the chain. */
export function findSealedRows(
  em: EntityManager,
  afterSequence: number,
  limit: number,
): Promise<SealedRow[]> {
  return query(
    em,
    `select ${entryColumns}, seal_seq::float8, seal_hash, seal_digests, seal_salts
     from activity where seal_seq > $1 order by activity.seal_seq limit $2`,
    [afterSequence, limit],
  )
}

export async function updateSeals(em: EntityManager, seals: object[]): Promise<void> {
  await query(
    em,
    `update activity a
     set seal_seq = s.seq, seal_hash = s.hash, seal_digests = s.digests, seal_salts = s.salts
     from json_to_recordset($1) as s (id uuid, seq bigint, hash text, digests jsonb, salts jsonb)
     where a.id = s.id`,
    [JSON.stringify(seals)],
  )
}

export async function updateChainEnd(em: EntityManager, seq: number, hash: string): Promise<void> {
  await query(em, 'update activity_chain set last_seq = $1, last_hash = $2', [seq, hash])
}

export type OldestSeal = { seal_seq: number; seal_hash: string; created_at: string | Date }

export function findOldestSeals(em: EntityManager, limit: number): Promise<OldestSeal[]> {
  return query(
    em,
    `select seal_seq::float8, seal_hash, created_at from activity
     where seal_seq is not null order by activity.seal_seq limit $1`,
    [limit],
  )
}

/** Deletes the entries up to a sequence number, and moves the start of the chain after them. */
export async function deleteSealedRows(
  em: EntityManager,
  lastSequence: number,
  lastHash: string,
): Promise<void> {
  await query(em, 'delete from activity where seal_seq <= $1', [lastSequence])
  await query(em, 'update activity_chain set first_seq = $1::bigint + 1, hash_before_first = $2', [
    lastSequence,
    lastHash,
  ])
}

/** Returns whether the log contains a record of the deletion of the entries before the chain. */
export async function isPruningRecorded(
  em: EntityManager,
  { first_seq, hash_before_first }: Chain,
): Promise<boolean> {
  const rows = await query(
    em,
    `select from activity where action = 'activity.pruned'
       and detail ->> 'through' = $1 and detail ->> 'hash' = $2 limit 1`,
    [String(first_seq - 1), hash_before_first],
  )
  return rows.length > 0
}
