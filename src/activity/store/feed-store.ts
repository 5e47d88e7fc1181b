import type { EntityManager } from '@mikro-orm/postgresql'
import type { ActivityEntry } from '../../../gen/daikon/v1/admin_records.ts'
import { query } from '../../database/query.ts'
import type { Nullable } from '../../database/sql-values.ts'
import { type Cursor, createCursor, isSameCursor } from '../feed/cursor.ts'
import { type EntryRow, toEntry } from './activity-store.ts'
import { entryColumns } from './entry-query.ts'

/** An entry and the cursor after it. */
export type FeedEntry = { cursor: Cursor; entry: ActivityEntry }

type Ends = { firstPosition: number; hashBefore: string; lastPosition: number; lastHash: string }

/** Sealed entries by position, for readers that follow the log. */
export class FeedStore {
  readonly #em: EntityManager

  constructor(em: EntityManager) {
    this.#em = em
  }

  /** Returns the cursor before the first entry that is retained. */
  async findStart(): Promise<Cursor> {
    const { firstPosition, hashBefore } = await this.#readEnds()
    return createCursor(firstPosition - 1, hashBefore)
  }

  /** Returns the cursor after the last entry. */
  async findEnd(): Promise<Cursor> {
    const { lastPosition, lastHash } = await this.#readEnds()
    return createCursor(lastPosition, lastHash)
  }

  /**
   * Returns the entries after a cursor, or undefined if the entries at or after the cursor were
   * deleted, or belong to another history of the database. The statement reads the entry at the
   * cursor, too, so that nothing can change between the check and the reading.
   */
  async readAfter(cursor: Cursor, limit: number): Promise<FeedEntry[] | undefined> {
    type Row = Nullable<EntryRow & { position: number; hash: string }> & Ends
    const rows = await query<Row>(this.#em, entriesSql, [cursor.position, limit + 1])
    const [first] = rows
    if (!first) throw new Error('The table activity_chain is empty')
    const before = createCursor(first.firstPosition - 1, first.hashBefore)
    const entries = rows.flatMap((row): FeedEntry[] => {
      const { position, hash, firstPosition, hashBefore, lastPosition, lastHash, ...entry } = row
      if (position === null) return []
      return [{ cursor: createCursor(position, hash as string), entry: toEntry(entry as EntryRow) }]
    })
    const at = entries[0]?.cursor.position === cursor.position ? entries.shift()?.cursor : before
    return at && isSameCursor(at, cursor) ? entries.slice(0, limit) : undefined
  }

  async #readEnds(): Promise<Ends> {
    const [ends] = await query<Ends>(this.#em, `select ${endColumns} from activity_chain c`)
    if (!ends) throw new Error('The table activity_chain is empty')
    return ends
  }
}

const endColumns = `c.first_seq::float8 as "firstPosition", c.hash_before_first as "hashBefore",
  c.last_seq::float8 as "lastPosition", c.last_hash as "lastHash"`

/**
 * $1 position, $2 limit. Returns the ends of the chain with each entry from the position on, or once
 * if there are none.
 */
const entriesSql = `
  select ${endColumns}, a.* from activity_chain c
  left join lateral (
    select ${entryColumns}, seal_seq::float8 as position, seal_hash as hash from activity
    where seal_seq >= $1 order by activity.seal_seq limit $2
  ) a on true
  order by a.position`
