import type { EntityManager } from '@mikro-orm/postgresql'
import { isLiveResource } from '../../database/deleted-rows.ts'
import { query } from '../../database/query.ts'
import {
  beginsWith,
  containsPattern,
  escapePattern,
  matchesAny,
  searchWords,
} from '../../database/search.ts'
import type { NamedObject } from './name-store.ts'

/**
 * An object that a search found, and what distinguishes it from others with the same name. `match`
 * is how its name matches.
 */
export type FoundObject = NamedObject & { description: string; match: 'exact' | 'prefix' | 'words' }

/** Finds objects by name. */
export class NameSearchStore {
  readonly #em: EntityManager

  constructor(em: EntityManager) {
    this.#em = em
  }

  /**
   * Returns the users, workspaces, groups and resources whose name matches `q`, at most `limit` of
   * each type, best matches first.
   */
  find(q: string, limit: number): Promise<FoundObject[]> {
    const text = escapePattern(q)
    const words = searchWords(q).map(containsPattern)
    return query(this.#em, findByNameSql(words.length), [limit, text, `${text}%`, ...words])
  }

  /** Returns the object with an ID, and the resources with this ID in their service. */
  findById(id: string): Promise<FoundObject[]> {
    return query(this.#em, findByIdSql, [id])
  }
}

const user = `u.id, 'user' as type, coalesce(nullif(u.name, ''), u.email) as name,
  u.email as description, null::uuid as "workspaceId"`

const workspace = `w.id, 'workspace' as type, w.name, w.slug as description, w.id as "workspaceId"`

const group = `g.id, 'group' as type, g.name, w.name as description,
  g.workspace_id as "workspaceId"`

const resource = `r.id, 'permission' as type, coalesce(r.external_id, r.resource_id::text) as name,
  k.service_name || '/' || k.resource_type as description, r.workspace_id as "workspaceId"`

/** $1 limit, $2 pattern of the text, $3 pattern of names that begin with it, $4… words. */
function findByNameSql(wordCount: number): string {
  const words = Array.from({ length: wordCount }, (_, index) => `$${index + 4}`)
  const match = (...columns: string[]) => [
    matchesAny(columns, '$2'),
    matchesAny(columns, '$3'),
    words.map((word) => matchesAny(columns, word)).join(' and '),
  ]
  const externalId = [beginsWith('external_id', '$2'), beginsWith('external_id', '$3')]
  return `
    select id, type, name, description, "workspaceId",
      (array['exact', 'prefix', 'words'])[rank] as match
    from (
      select ${user}, rank, 1 as position
      from (${selectBest('people', match('email', 'name'))}) best join users u using (id)
      union all
      select ${workspace}, rank, 2
      from (${selectBest('workspaces', match('slug', 'name'))}) best join workspaces w using (id)
      union all
      select ${group}, rank, 3
      from (${selectBest('groups', match('name'))}) best
      join groups g using (id) join workspaces w on w.id = g.workspace_id
      union all
      select ${resource}, rank, 4
      from (${selectBest('resources', externalId, 'search_text(external_id) using ~<~, id')}) best
      join resources r using (id) join resource_kinds k on k.id = r.kind_id
      where ${isLiveResource('r')}
    ) found
    order by rank, position, name, id`
}

/**
 * Selects the rows that meet one of the conditions, which are ordered from the best to the worst.
 *
 * Each branch stops at the limit, so that common words do not read the whole table. Rare words do if
 * `order` is `id`, because the planner expects to find enough of them early: pass the order of an index on
 * the words.
 */
function selectBest(table: string, conditions: string[], order = 'id'): string {
  const branches = conditions.map(
    (condition, index) =>
      `(select id, ${index + 1} as rank from ${table} where ${condition} order by ${order} limit $1)`,
  )
  return `select id, min(rank) as rank from (${branches.join(' union all ')}) branch
    group by id order by 2, 1 limit $1`
}

/** $1 ID. Each subquery looks it up in an index. */
const findByIdSql = `
  select found.*, 'exact' as match from (
    select ${user} from people u where u.id = $1
    union all
    select ${workspace} from workspaces w where w.id = $1
    union all
    select ${group} from groups g join workspaces w on w.id = g.workspace_id where g.id = $1
    union all
    select g.id, 'role', g.name, w.name, g.workspace_id
    from custom_roles g join workspaces w on w.id = g.workspace_id where g.id = $1
    union all
    select id, 'service_app', name, '', null from service_apps where id = $1
    union all
    select id, 'client_app', name, '', null from client_apps
      where id = $1 and metadata_uri is null
    union all
    select ${resource} from resources r join resource_kinds k on k.id = r.kind_id
    where r.id = $1 and ${isLiveResource('r')}
    union all
    select ${resource}
    from resource_kinds k join resources r on r.kind_id = k.id and r.resource_id = $1
    where ${isLiveResource('r')}
  ) found`
