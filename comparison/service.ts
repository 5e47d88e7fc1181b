import pg from 'pg'
import { openDaikon } from '../bench/daikon-client.ts'
import { kind } from '../bench/data-set.ts'
import { waitUntilCopied } from '../bench/lists/wait-until-copied.ts'
import { formatNumber } from '../bench/table.ts'
import { type Access, createAccess } from '../clients/typescript/src/access.ts'
import type { Tokens } from './data.ts'
import type { ListingPeer } from './peer.ts'

/** A service with documents in its own database, which lists those that a user may view by title. */
export type Service = {
  findAll(user: string): Promise<string[]>
  /** Returns the IDs of a page. Pages count from 1. */
  findPage(user: string, number: number): Promise<string[]>
  /** Returns how many documents the user may view, at most `maxCount`. */
  count(user: string): Promise<number>
}

export const pageSize = 20

/** SpiceDB returns at most this number with a limit. */
export const maxCount = 1000

/** More documents than there are. */
const all = 1_000_000

type Copy = {
  /** One access for each port. */
  accesses: Access<'document'>[]
  close(): Promise<void>
}

/**
 * Fills the database of the service with all documents of the data set, and copies the access keys with a
 * follower of the server with the first port.
 */
export async function openCopy({
  url,
  pool,
  ports,
  log,
}: {
  url: string
  pool: pg.Pool
  ports: number[]
  log: (message: string) => void
}): Promise<Copy> {
  const documents = await fillDocuments(url, pool)
  const clients = ports.map(openDaikon)
  const accesses = clients.map((daikon) =>
    createAccess({ daikon, pool, types: { document: 'uuid' } }),
  )
  const close = async () => {
    await Promise.all(accesses.map((access) => access.close()))
    for (const client of clients) client.close()
  }
  try {
    const startedAt = performance.now()
    const following = accesses[0]?.follow({ onDisconnect: (error) => log(`Follower: ${error}`) })
    await Promise.race([waitUntilCopied(pool), following])
    log(
      `Copied what ${formatNumber(documents)} documents accept in ${((performance.now() - startedAt) / 1000).toFixed(0)} s`,
    )
    // The databases of the peers were vacuumed, too.
    await pool.query('vacuum (analyze)')
    return { accesses, close }
  } catch (error) {
    await close()
    throw error
  }
}

/**
 * Creates the table of the service. Its order has nothing to do with who may view a document. Without one document whose
 * owner is not in its workspace, and may view it with the others alone.
 */
async function fillDocuments(url: string, pool: pg.Pool): Promise<number> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    const { rows } = await client.query(
      `select array_agg(r.resource_id::text) as ids from resources r
       join resource_kinds k on k.id = r.kind_id
       join members m on m.workspace_id = r.workspace_id and m.user_id = r.owner_id
       where k.resource_type = $1`,
      [kind.resource_type],
    )
    const ids: string[] = rows[0].ids
    await pool.query('drop schema if exists daikon_access cascade')
    await pool.query('drop table if exists documents')
    await pool.query('create table documents (id uuid primary key, title text not null)')
    await pool.query(
      `insert into documents select id, 'Document ' || left(md5('title' || id), 8)
       from unnest($1::uuid[]) id`,
      [ids],
    )
    await pool.query('create index on documents (title, id)')
    return ids.length
  } finally {
    await client.end()
  }
}

/** Returns a service that joins its documents with the copy. */
export function joinWithCopy(access: Access<'document'>, tokens: Tokens): Service {
  const visibleTo = (user: string, rows: number) => {
    const token = tokens.get(user)?.token
    if (!token) throw new Error(`No token of user ${user}`)
    return access.visible({ token }, 'view', 'document', { rows })
  }
  const find = async (user: string, { limit, offset }: { limit: number; offset: number }) => {
    const visible = await visibleTo(user, limit + offset)
    const rows = await visible.page<{ id: string }>(({ sql, keys }) => ({
      text: `select d.id, d.title from documents d where ${sql('d.id', '$1')}
        order by d.title, d.id limit $2 offset $3`,
      values: [keys, limit, offset],
    }))
    return rows.map(({ id }) => id)
  }
  return {
    findAll: (user) => find(user, { limit: all, offset: 0 }),
    findPage: (user, number) => find(user, { limit: pageSize, offset: (number - 1) * pageSize }),
    async count(user) {
      const visible = await visibleTo(user, maxCount)
      return visible.count({ limit: maxCount })
    },
  }
}

/** Returns a service that fetches the IDs of all documents that the user may view, and joins them. */
export function joinIds(pool: pg.Pool, listDocuments: ListingPeer['listDocuments']): Service {
  const find = async (user: string, { limit, offset }: { limit: number; offset: number }) => {
    const { rows } = await pool.query<{ id: string }>(
      `select d.id, d.title from documents d where d.id = any($1::uuid[])
        order by d.title, d.id limit $2 offset $3`,
      [await listDocuments(user), limit, offset],
    )
    return rows.map(({ id }) => id)
  }
  return {
    findAll: (user) => find(user, { limit: all, offset: 0 }),
    findPage: (user, number) => find(user, { limit: pageSize, offset: (number - 1) * pageSize }),
    count: async (user) => (await listDocuments(user, maxCount)).length,
  }
}
