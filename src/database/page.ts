import type { EntityManager } from '@mikro-orm/postgresql'
import { query } from './query.ts'

/** The page of a list to return: `page` counts from 1. */
export type PageRequest = { page?: number | undefined; page_size?: number | undefined }

/** A page of a list and the length of the whole list. A page past the end is empty. */
export type Page<Item> = { items: Item[]; total: number; page: number; page_size: number }

/** The clauses of a list query. `values` are the values of the placeholders in `from`. */
type ListQuery = { select: string; from: string; orderBy: string; values: unknown[] }

/** Returns one page of a list. `orderBy` must define a total order. */
export async function findPage<Row>(
  em: EntityManager,
  { page = 1, page_size = 20 }: PageRequest,
  { select, from, orderBy, values }: ListQuery,
): Promise<Page<Row>> {
  const countSql = `select count(*)::int as total from ${from}`
  const [count] = await query<{ total: number }>(em, countSql, values)
  const total = count?.total ?? 0
  const offset = (page - 1) * page_size
  if (offset >= total) return { items: [], total, page, page_size }
  const [limitIndex, offsetIndex] = [values.length + 1, values.length + 2]
  const items = await query<Row>(
    em,
    `select ${select} from ${from} order by ${orderBy} limit $${limitIndex} offset $${offsetIndex}`,
    [...values, page_size, offset],
  )
  return { items, total, page, page_size }
}
