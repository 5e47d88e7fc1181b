import { readFileSync } from 'node:fs'
import type pg from 'pg'

const page = new URL('../../docs/listing-with-your-own-database.md', import.meta.url)

/** Returns the documented statements of lists that begin with `start`. */
export function readStatements(start: string): string {
  const [, statements] =
    new RegExp(`\`\`\`sql\n(${start} .*?)\`\`\``, 's').exec(readFileSync(page, 'utf8')) ?? []
  if (!statements) throw new Error(`The page has no statements that begin with ${start}`)
  return statements
}

/** Creates the table `documents` with the documented column. */
export async function createDocuments(pool: pg.Pool, keyType: 'uuid' | 'text'): Promise<void> {
  await pool.query(`create table documents (id ${keyType} primary key, title text)`)
  await pool.query(readStatements('alter table documents'))
}
