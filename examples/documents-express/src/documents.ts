import type { Pool, PoolClient } from 'pg'

/** A row of the table `documents`. */
export type Document = {
  id: string
  workspace_id: string
  owner_id: string
  title: string
  body: string
  updated_at: Date
}

type Queryable = Pick<Pool | PoolClient, 'query'>

/** The end of the previous page. */
export type Position = { updated_at: string; id: string }

export async function findDocument(db: Queryable, id: string): Promise<Document | undefined> {
  const { rows } = await db.query<Document>('select * from documents where id = $1', [id])
  return rows[0]
}

export async function insertDocument(
  db: Queryable,
  { id, workspace_id, owner_id, title, body }: Omit<Document, 'updated_at'>,
): Promise<Document> {
  const { rows } = await db.query<Document>(
    `insert into documents (id, workspace_id, owner_id, title, body)
     values ($1, $2, $3, $4, $5) returning *`,
    [id, workspace_id, owner_id, title, body],
  )
  return rows[0] as Document
}

export async function updateDocument(
  db: Queryable,
  id: string,
  { title, body }: { title?: string; body?: string },
): Promise<Document | undefined> {
  const { rows } = await db.query<Document>(
    `update documents set title = coalesce($2, title), body = coalesce($3, body), updated_at = now()
     where id = $1 returning *`,
    [id, title, body],
  )
  return rows[0]
}

export async function deleteDocument(db: Queryable, id: string): Promise<void> {
  await db.query('delete from documents where id = $1', [id])
}

/**
 * A page of the documents of a workspace, newest first. `ids` are those that the user may view; without
 * them, the user may view all.
 */
export async function listDocuments(
  db: Queryable,
  workspaceId: string,
  ids: string[] | undefined,
  limit: number,
  after: Position | undefined,
): Promise<Document[]> {
  const { rows } = await db.query<Document>(
    `select * from documents
     where workspace_id = $1
       and ($2::uuid[] is null or id = any($2))
       and ($3::timestamptz is null or (updated_at, id) < ($3, $4::uuid))
     order by updated_at desc, id desc limit $5`,
    [workspaceId, ids ?? null, after?.updated_at ?? null, after?.id ?? null, limit],
  )
  return rows
}
