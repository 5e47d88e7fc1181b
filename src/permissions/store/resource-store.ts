import type { EntityManager } from '@mikro-orm/postgresql'
import { type BatchedQuery, batched } from '../../database/batched-query.ts'
import {
  ResourceKind,
  Resource as ResourceRow,
  type Visibility,
} from '../../database/entities/resources.ts'
import type { Page, PageRequest } from '../../database/page.ts'
import { query } from '../../database/query.ts'
import { grant } from '../access.ts'
import { roleShift } from '../engine/bits.ts'
import type { StoredCondition } from '../engine/conditions/compiled-conditions.ts'
import type { UncertainFacts } from '../engine/conditions/judge.ts'
import type { Kind } from '../engine/question.ts'
import { ancestorsFrom, bitsWithAncestors } from '../engine/statements/checks.ts'
import {
  joinRequirements,
  type Requirement,
  type RequiringAncestor,
  type RequiringKind,
  requirementList,
  requiringKinds,
  selectRequired,
} from '../engine/statements/requirements.ts'
import {
  type Candidate,
  candidateList,
  conditionsSql,
  type StoredVariables,
  storedVariables,
} from '../engine/statements/uncertain.ts'
import { coversResource } from '../engine/subjects/delegation.ts'
import {
  createResourceListSql,
  hasDeletedRowsSql,
  type ListedResource,
  type ResourceFilter,
} from './resource-list-sql.ts'
import {
  type Attributes,
  ancestorsSql,
  type Resource,
  type ResourceKey,
  resourceById,
  resourceByKey,
  toWireKey,
} from './resource-sql.ts'

/** The registered resources. */
export class ResourceStore {
  readonly #em: EntityManager

  constructor(em: EntityManager) {
    this.#em = em
  }

  /** Concurrent callers share the statement, which runs outside the transaction. */
  find(id: string): Promise<Resource | undefined> {
    return batched(this.#em, resourceById, { id })
  }

  /** Concurrent callers share the statement, which runs outside the transaction. */
  findByKey(key: ResourceKey): Promise<Resource | undefined> {
    return batched(this.#em, resourceByKey, toWireKey(key))
  }

  /** Returns the resources with these IDs or keys, in the same order; undefined for unknown ones. */
  async findAll(references: (string | ResourceKey)[]): Promise<(Resource | undefined)[]> {
    const items = references.map((reference, index) =>
      typeof reference === 'string' ? { index, id: reference } : { index, ...toWireKey(reference) },
    )
    const byId = items.filter((item) => 'id' in item)
    const byKey = items.filter((item) => !('id' in item))
    const found = [
      await this.#findItems(resourceById, byId),
      await this.#findItems(resourceByKey, byKey),
    ]
    const byIndex = new Map(found.flat().map(({ index, ...resource }) => [index, resource]))
    return references.map((_, index) => byIndex.get(index))
  }

  async #findItems(
    { sql }: BatchedQuery,
    items: object[],
  ): Promise<(Resource & { index: number })[]> {
    return items.length === 0 ? [] : query(this.#em, sql, [JSON.stringify(items)])
  }

  /** Returns the ancestors that a resource inherits from, nearest first. */
  findAncestors(id: string): Promise<Resource[]> {
    return query(this.#em, ancestorsSql, [id])
  }

  /**
   * Returns the own and inherited grants of a user that allow built-in actions, as bits of `grant`,
   * and the conditions that they depend on. Does not set `registered`. Undefined if the resource does
   * not exist. Concurrent callers share the statement, which runs outside the transaction.
   */
  async findGrants(
    { id, workspaceId }: Pick<Resource, 'id' | 'workspaceId'>,
    userId: string,
  ): Promise<UncertainFacts | undefined> {
    const item = { id, workspace_id: workspaceId, user_id: userId }
    const row = await batched<GrantsRow>(this.#em, grantsOfUser, item)
    if (!row) return undefined
    const { grants, candidates, variables, now } = row
    const requirements = joinRequirements(row.requirements, row.ancestors, row.requiring)
    return {
      bits: grants | (requirements.length > 0 ? grant.barred : 0),
      candidates: candidates ?? [],
      requirements,
      variables,
      now: new Date(now),
    }
  }

  /**
   * Returns whether a delegation is live and covers an action on a resource of its workspace. Concurrent
   * callers share the statement, which runs outside the transaction.
   */
  async isCovered(delegationId: string, id: string, action: string): Promise<boolean> {
    const item = { id, delegation_id: delegationId, action }
    return (await batched(this.#em, coverageOfDelegation, item)) !== undefined
  }

  /** Returns the conditions with these digests. */
  findConditions(digests: string[]): Promise<StoredCondition[]> {
    return query(this.#em, conditionsSql, [digests])
  }

  /**
   * Returns a page of the resources that match a filter, newest first. `total` is at most
   * `maxListed`, and so is the number of resources on all pages.
   */
  async listPage(
    filter: ResourceFilter,
    { page = 1, page_size = 20 }: PageRequest,
  ): Promise<Page<ListedResource>> {
    const [state] = await query<{ hasDeleted: boolean }>(this.#em, hasDeletedRowsSql)
    const hidesDeleted = state?.hasDeleted ?? true
    const list = createResourceListSql(filter, { hidesDeleted })
    const [counted] = await query<{ total: number }>(this.#em, list.count, list.values)
    const total = counted?.total ?? 0
    const offset = (page - 1) * page_size
    if (offset >= total) return { items: [], total, page, page_size }
    const limit = Math.min(page_size, total - offset)
    const items = await query<ListedResource>(this.#em, list.page, [...list.values, limit, offset])
    return { items, total, page, page_size }
  }

  /**
   * Returns the kinds of a service, of a type, or both, for `ResourceFilter.kindIds`. With their IDs,
   * the planner can estimate how many resources match, which it cannot do with a join.
   */
  async findKinds(
    kind: { [Name in keyof Kind]?: string | undefined },
  ): Promise<(Kind & { id: number })[]> {
    const { serviceName, resourceType } = kind
    const found = await this.#em.find(ResourceKind, {
      ...(serviceName !== undefined && { service_name: serviceName }),
      ...(resourceType !== undefined && { resource_type: resourceType }),
    })
    return found.map(({ id, service_name, resource_type }) => ({
      id,
      serviceName: service_name,
      resourceType: resource_type,
    }))
  }

  /**
   * Returns whether the visibility has changed. Of two concurrent changes to the same value, only
   * one returns true.
   */
  async setVisibility(id: string, visibility: Visibility): Promise<boolean> {
    const where = { id, visibility: { $ne: visibility } }
    return (await this.#em.nativeUpdate(ResourceRow, where, { visibility })) > 0
  }

  /**
   * Returns the attributes of a resource, and locks the resource until the end of the transaction.
   * Returns undefined if the resource has been unregistered.
   */
  async lockAttributes(id: string): Promise<Attributes | undefined> {
    const sql = 'select attributes from resources where id = $1 for no key update'
    const [row] = await query<{ attributes: Attributes | null }>(this.#em, sql, [id])
    return row && (row.attributes ?? {})
  }

  /** Replaces the attributes. Undefined removes them. */
  async setAttributes(id: string, attributes: Attributes | undefined): Promise<void> {
    const sql = 'update resources set attributes = $2::json where id = $1'
    await query(this.#em, sql, [id, attributes ? JSON.stringify(attributes) : null])
  }

  /** Sets or removes the display name. Returns whether it has changed. */
  async setDisplayName(id: string, displayName: string | null): Promise<boolean> {
    return (await query(this.#em, setDisplayNameSql, [id, displayName])).length > 0
  }

  /**
   * Makes a member of the workspace the owner. Returns the ID of the previous owner, or undefined if
   * the user already owns the resource or is not a member.
   */
  async setOwner(id: string, ownerId: string): Promise<string | undefined> {
    const [changed] = await query<{ from: string }>(this.#em, setOwnerSql, [id, ownerId])
    return changed?.from
  }
}

/** $1 ID, $2 display name. Returns no row if the resource has this name. */
const setDisplayNameSql = `
  update resources set display_name = $2 where id = $1 and display_name is distinct from $2
  returning id`

type GrantsRow = {
  grants: number
  candidates: Candidate[] | null
  requirements: Requirement[] | null
  ancestors: RequiringAncestor[] | null
  requiring: RequiringKind[] | null
  variables: StoredVariables
  now: string
}

const servicesOfItems = `array(
      select k.service_name from json_to_recordset($1) as item (id uuid)
      join resources r on r.id = item.id join resource_kinds k on k.id = r.kind_id
    )`

/** Item: `id` of a resource, its `workspace_id`, `user_id`. Returns a GrantsRow. */
const grantsOfUser: BatchedQuery = {
  name: 'grants_of_user',
  sql: `
    with required as materialized (${selectRequired(servicesOfItems)})
    select q.index, facts.grants, ${requirementList('r.kind_id')} as requirements,
      ancestors.requiring as ancestors, ${requiringKinds} as requiring,
      case when facts.grants & ${grant.conditional} <> 0 then ${candidateList} end as candidates,
      ${storedVariables('q.user_id')} as variables, statement_timestamp()::text as now
    from (
      select *, null::text as action
      from json_to_recordset($1) as item (index int, id uuid, workspace_id uuid, user_id uuid)
    ) q
    join resources r on r.id = q.id
    cross join ${ancestorsFrom('perGroup')}
    cross join lateral (
      select ${bitsWithAncestors('perGroup', 'ancestors.bits')} as grants offset 0
    ) facts`,
}

/**
 * Item: `id` of a resource, `delegation_id`, `action`. Returns no row if the delegation does not cover the
 * action. The role of its user is known from the token.
 */
const coverageOfDelegation: BatchedQuery = {
  name: 'coverage_of_delegation',
  sql: `
    select i.index
    from (
      select item.index, item.id, item.delegation_id as subject_id, item.action as asked_action,
        k.service_name as service, k.resource_type as type, ${1 << roleShift} as status
      from json_to_recordset($1) as item (index int, id uuid, delegation_id uuid, action text)
      join resources r on r.id = item.id join resource_kinds k on k.id = r.kind_id
      offset 0
    ) i
    join resources r on r.id = i.id
    where ${coversResource('withAncestors')}`,
}

/**
 * $1 ID, $2 ID of the new owner. Returns `from`, the ID of the previous owner. Returns no row if the
 * user already owns the resource or is not a member of its workspace.
 */
const setOwnerSql = `
  update resources set owner_id = $2
  from (select id, owner_id, workspace_id from resources where id = $1 for update) before
  where resources.id = before.id and before.owner_id <> $2
    and exists (
      select from live_members m where m.workspace_id = before.workspace_id and m.user_id = $2
    )
  returning before.owner_id as "from"`
