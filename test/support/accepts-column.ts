import { readFileSync } from 'node:fs'
import type pg from 'pg'

const page = new URL('../../docs/listing-with-your-own-database.md', import.meta.url)

/** The documented statements that add the column `daikon_accepts` and its trigger to `documents`. */
const documented = /```sql\n(alter table documents .*?)```/s.exec(readFileSync(page, 'utf8'))?.[1]

/** Creates the table `documents` with the documented column. */
export async function createDocuments(pool: pg.Pool, keyType: 'uuid' | 'text'): Promise<void> {
  if (!documented) throw new Error('The page has no statements for the column')
  await pool.query(`create table documents (id ${keyType} primary key, title text)`)
  await pool.query(documented)
}
