import type { EntityManager } from '@mikro-orm/postgresql'

/** Which page of a list, the first being 1. */
export type PageRequest = { page?: number | undefined; page_size?: number | undefined }

/** A page and how much there is in all; one beyond the end is empty. */
export type Page<Item> = { items: Item[]; total: number; page: number; page_size: number }

/** A statement in parts; `values` are those of `from`. */
type Listing = { select: string; from: string; orderBy: string; values: unknown[] }

/** The rows of one page; `orderBy` must leave no two in doubt. */
export async function findPage<Row>(
  em: EntityManager,
  { page = 1, page_size = 20 }: PageRequest,
  { select, from, orderBy, values }: Listing,
): Promise<Page<Row>> {
  const sql = `select count(*)::int as total from ${from}`
  const [counted] = await em.execute<{ total: number }[]>(sql, values)
  const total = counted?.total ?? 0
  const offset = (page - 1) * page_size
  if (offset >= total) return { items: [], total, page, page_size }
  const items = await em.execute<Row[]>(
    `select ${select} from ${from} order by ${orderBy} limit ? offset ?`,
    [...values, page_size, offset],
  )
  return { items, total, page, page_size }
}
