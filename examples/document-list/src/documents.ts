import type { Access } from '@daikon-auth/client/access'
import type { Pool } from 'pg'
import { workspaceId } from './setup.ts'

/** A row of the table `documents`. */
export type Document = { id: string; title: string; author: string; updated_at: Date }

export type Sort = 'newest' | 'title'

/** What a person asks for. Pages count from 1. */
export type List = { sort: Sort; search: string; page: number }

export const pageSize = 20

/** Counting stops here, because counting more takes longer. Pages show `1,000+`. */
export const maxCount = 1000

const orders: Record<Sort, string> = {
  newest: 'd.updated_at desc, d.id desc',
  title: 'lower(d.title), d.id',
}

/**
 * Returns a page of the documents that a person may view. Whether a condition is met is decided after the page
 * was read, so a page may have fewer documents than others.
 */
export async function listDocuments(
  access: Access<'document'>,
  person: string,
  { sort, search, page }: List,
): Promise<{ documents: (Document & { certain: boolean })[]; hasNext: boolean }> {
  const subject = { email: person }
  const visible = await access.visible(subject, 'view', 'document', {
    rows: page * pageSize + 1,
    includeMaybe: true,
    workspaceId,
  })
  const rows = await visible.page<Document & { certain: boolean }>(
    ({ sql, keys, certain, certainKeys }) => ({
      text: `select d.*, ${certain('d.id', '$2')} as certain
        from documents d
        where d.title ilike $3 and ${sql('d.id', '$1')}
        order by ${orders[sort]} limit $4 offset $5`,
      values: [keys, certainKeys, toPattern(search), pageSize + 1, (page - 1) * pageSize],
    }),
  )
  const documents = await access.confirm(subject, 'view', 'document', rows.slice(0, pageSize))
  return { documents, hasNext: rows.length > pageSize }
}

/**
 * Returns how many documents a person may view, at most one more than `maxCount`. Leaves out those that depend
 * on a condition: the number must not tell of a document that the person may not view yet.
 */
export async function countDocuments(
  access: Access<'document'>,
  person: string,
  search: string,
): Promise<number> {
  const visible = await access.visible({ email: person }, 'view', 'document', {
    rows: maxCount + 1,
    workspaceId,
  })
  // Without a search, `visible.count` counts in the copy alone. It also counts resources without a row here.
  const [found] = await visible.page<{ count: number }>(({ sql, keys }) => ({
    text: `select count(*)::int as count from (
        select from documents d where d.title ilike $2 and ${sql('d.id', '$1')} limit $3
      ) found`,
    values: [keys, toPattern(search), maxCount + 1],
  }))
  return found?.count ?? 0
}

export async function findDocument(pool: Pool, id: string): Promise<Document | undefined> {
  const { rows } = await pool.query<Document>('select * from documents where id = $1', [id])
  return rows[0]
}

export async function insertDocument(
  pool: Pool,
  { id, title, author }: Omit<Document, 'updated_at'>,
): Promise<void> {
  const sql = 'insert into documents (id, title, author) values ($1, $2, $3)'
  await pool.query(sql, [id, title, author])
}

/** Returns the pattern of titles that contain a text. */
function toPattern(text: string): string {
  return `%${text.replace(/[\\%_]/g, '\\$&')}%`
}
