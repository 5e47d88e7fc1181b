import type { EntityManager } from '@mikro-orm/postgresql'
import { query } from '../../database/query.ts'
import type { Filter } from '../filter.ts'
import { compileFilter, type FindSource } from './filter-sql.ts'

export type Page = { offset: number; limit: number }

export type ScimPage<Item> = { items: Item[]; total: number }

/** Statements whose only parameter is the workspace, to which conditions can be added. */
type Statements = { count: string; select: string; id: string }

/** Returns a page of the resources of a workspace that match a filter, by ID, and their number. */
export async function listFiltered<Item>(
  em: EntityManager,
  workspaceId: string,
  filter: Filter | undefined,
  findSource: FindSource,
  { count, select, id }: Statements,
  { offset, limit }: Page,
): Promise<ScimPage<Item>> {
  const { sql, values } = filter
    ? compileFilter(filter, findSource, 2)
    : { sql: 'true', values: [] }
  const parameters = [workspaceId, ...values]
  const [counted] = await query<{ total: number }>(em, `${count} and ${sql}`, parameters)
  const total = counted?.total ?? 0
  if (total <= offset || limit === 0) return { items: [], total }
  const [last, skipped] = [parameters.length + 1, parameters.length + 2]
  const page = `${select} and ${sql} order by ${id} limit $${last} offset $${skipped}`
  return { items: await query<Item>(em, page, [...parameters, limit, offset]), total }
}
