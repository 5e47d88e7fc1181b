import { IsolationLevel } from '@mikro-orm/core'
import type { EntityManager } from '@mikro-orm/postgresql'
import { query } from '../../database/query.ts'
import type { Timestamp } from '../../database/sql-values.ts'
import { type ChainEntry, type PersonalDigests, sealVersion } from '../chain.ts'

/**
 * The start and the end of the hash chain. If the chain is empty, `lastSequence` is less than
 * `firstSequence`.
 */
export type ChainEnds = {
  firstSequence: number
  hashBeforeFirst: string
  lastSequence: number
  lastHash: string
}

/** The position of an entry in the hash chain, and its hash. */
export type Seal = { sequence: number; hash: string }

/** A seal to store in an entry. */
export type NewSeal = Seal & PersonalDigests & { id: string }

/** A sealed entry. Any row may have been changed, so its hash, digests and salts may be null. */
export type SealedEntry = ChainEntry & {
  sequence: number
  hash: string | null
  digests: Record<string, string> | null
  salts: Record<string, string> | null
  version: number
}

/** The hash chain of the activity log. */
export class ChainStore {
  readonly #em: EntityManager

  constructor(em: EntityManager) {
    this.#em = em
  }

  /**
   * Runs `work` in a read-only transaction, with a store that reads the chain as it was when the
   * transaction started.
   */
  readSnapshot<Result>(work: (chain: ChainStore) => Promise<Result>): Promise<Result> {
    return this.#em.transactional((em) => work(new ChainStore(em)), {
      isolationLevel: IsolationLevel.REPEATABLE_READ,
      readOnly: true,
    })
  }

  /**
   * Locks the chain until the end of the transaction and returns its ends, or undefined if another
   * node has locked it.
   */
  async lock(): Promise<ChainEnds | undefined> {
    const [lock] = await query<{ acquired: boolean }>(this.#em, lockSql)
    return lock?.acquired ? this.readEnds() : undefined
  }

  async readEnds(): Promise<ChainEnds> {
    const [ends] = await query<ChainEnds>(this.#em, endsSql)
    if (!ends) throw new Error('The table activity_chain is empty')
    return ends
  }

  /**
   * Returns entries that are not sealed yet, by transaction and ID. Locks them, so that no value is
   * erased while its digest is computed.
   */
  lockUnsealed(limit: number): Promise<ChainEntry[]> {
    return query(this.#em, lockUnsealedSql, [limit])
  }

  async hasUnsealed(): Promise<boolean> {
    const [row] = await query<{ found: boolean }>(this.#em, hasUnsealedSql)
    return row?.found === true
  }

  async countUnsealed(): Promise<number> {
    const [row] = await query<{ count: number }>(this.#em, countUnsealedSql)
    return row?.count ?? 0
  }

  /** Returns sealed entries in the order of the chain. */
  findSealed(afterSequence: number, limit: number): Promise<SealedEntry[]> {
    return query(this.#em, sealedSql, [afterSequence, limit])
  }

  /** Returns the first seals of the chain with the times of their entries. */
  findOldestSeals(limit: number): Promise<(Seal & { createdAt: Timestamp })[]> {
    return query(this.#em, oldestSealsSql, [limit])
  }

  /** Seals entries. The last seal becomes the end of the chain. */
  async append(seals: [NewSeal, ...NewSeal[]]): Promise<void> {
    await query(this.#em, sealSql, [JSON.stringify(seals), sealVersion])
    const last = seals.at(-1) as NewSeal
    await query(this.#em, moveEndSql, [last.sequence, last.hash])
  }

  /** Deletes the entries up to a seal. The chain then starts after it. */
  async deleteThrough({ sequence, hash }: Seal): Promise<void> {
    await query(this.#em, 'delete from activity where seal_seq <= $1', [sequence])
    await query(this.#em, moveStartSql, [sequence, hash])
  }

  /** Returns whether the log contains a record of the deletion of the entries before the chain. */
  async isPruningRecorded({ firstSequence, hashBeforeFirst }: ChainEnds): Promise<boolean> {
    const rows = await query(this.#em, pruningSql, [String(firstSequence - 1), hashBeforeFirst])
    return rows.length > 0
  }
}

const entryColumns = `id, action, target_type as "targetType", target_id as "targetId",
  actor_id as "actorId", actor_type as "actorType", api_key_prefix as "apiKeyPrefix",
  agent_type as "agentType", agent_id as "agentId", delegation_id as "delegationId",
  workspace_id as "workspaceId", detail,
  to_char(created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as "createdAt",
  service_app_id as "serviceAppId", key_prefix as "keyPrefix", request_id as "requestId", ip`

const lockSql = "select pg_try_advisory_xact_lock(hashtext('daikon activity chain')) as acquired"

const endsSql = `
  select first_seq::float8 as "firstSequence", hash_before_first as "hashBeforeFirst",
    last_seq::float8 as "lastSequence", last_hash as "lastHash"
  from activity_chain`

/** $1 limit. */
const lockUnsealedSql = `
  select ${entryColumns} from activity where seal_seq is null
  order by xid nulls first, id limit $1 for update`

const hasUnsealedSql = `
  select exists (select from activity where seal_seq is null) as found`

const countUnsealedSql = 'select count(*)::int as count from activity where seal_seq is null'

/** $1 sequence number, $2 limit. */
const sealedSql = `
  select ${entryColumns}, seal_seq::float8 as sequence, seal_hash as hash,
    seal_digests as digests, seal_salts as salts, coalesce(seal_version, 1) as version
  from activity where seal_seq > $1 order by activity.seal_seq limit $2`

/** $1 limit. */
const oldestSealsSql = `
  select seal_seq::float8 as sequence, seal_hash as hash, created_at as "createdAt" from activity
  where seal_seq is not null order by activity.seal_seq limit $1`

/** $1 JSON array of `NewSeal`, $2 their version. */
const sealSql = `
  update activity a
  set seal_seq = s.sequence, seal_hash = s.hash, seal_digests = s.digests, seal_salts = s.salts,
    seal_version = $2
  from json_to_recordset($1)
    as s (id uuid, sequence bigint, hash text, digests jsonb, salts jsonb)
  where a.id = s.id`

/** $1 sequence number and $2 hash of the last entry. */
const moveEndSql = 'update activity_chain set last_seq = $1, last_hash = $2'

/** $1 sequence number and $2 hash of the last deleted entry. */
const moveStartSql = 'update activity_chain set first_seq = $1::bigint + 1, hash_before_first = $2'

/** $1 sequence number and $2 hash of the last deleted entry. */
const pruningSql = `
  select from activity where action = 'activity.pruned'
    and detail ->> 'through' = $1 and detail ->> 'hash' = $2 limit 1`
