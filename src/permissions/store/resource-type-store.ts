import type { EntityManager } from '@mikro-orm/postgresql'
import { newId } from '../../core/new-id.ts'
import { isLiveResource } from '../../database/deleted-rows.ts'
import { query } from '../../database/query.ts'
import type { Kind } from '../engine/question.ts'

/** A role that shares of resources of a type can grant. */
export type ResourceRole = { name: string; description: string; actions: string[] }

/** A condition that shares and links can have, and actions can require. `parameters` are types by name. */
export type ResourceCondition = {
  name: string
  description: string
  expression: string
  parameters: Record<string, string>
}

/** A condition that an action requires, also of what inherits from resources of the type if `inherited`. */
export type ActionRequirement = { action: string; condition: string; inherited: boolean }

/** What a service has declared about a resource type. */
export type Declaration = {
  description: string
  /** Whether resources of the type may be public. */
  allow_public: boolean
  roles: ResourceRole[]
  conditions: ResourceCondition[]
  requirements: ActionRequirement[]
}

/** The values of the parameters of a condition that some shares and links of a type have. */
export type UsedParams = { condition: string; params: Record<string, unknown>; count: number }

/** The columns of a kind, which messages also name so. */
type KindColumns = { service_name: string; resource_type: string }

/** The declaration of a type, and the IDs of both. `id` is undefined if the type is not declared. */
export type DeclaredType = Declaration & { kindId: number; id: string | undefined }

/** What is true of a type without a declaration. */
export const undeclared: Declaration = {
  description: '',
  allow_public: false,
  roles: [],
  conditions: [],
  requirements: [],
}

/** The declarations of resource types. */
export class ResourceTypeStore {
  readonly #em: EntityManager

  constructor(em: EntityManager) {
    this.#em = em
  }

  /** Returns the declarations of a service, or of all services, by service and type. */
  list(serviceName?: string): Promise<(KindColumns & Declaration)[]> {
    return query(this.#em, listSql, [serviceName])
  }

  /**
   * Returns the declaration of a type and locks it until the end of the transaction. Returns
   * undefined if the service has no resource of the type and has not declared it.
   */
  async lock({ serviceName, resourceType }: Kind): Promise<DeclaredType | undefined> {
    const [kind] = await query<{ id: number }>(this.#em, lockKindSql, [serviceName, resourceType])
    return kind && this.#read(kind.id)
  }

  /** Returns the declaration of a type without locking it. */
  async find({ serviceName, resourceType }: Kind): Promise<DeclaredType | undefined> {
    const values = [serviceName, resourceType]
    const [kind] = await query<{ id: number }>(this.#em, findKindSql, values)
    return kind && this.#read(kind.id)
  }

  /** Returns those of the services that have resources of a type. */
  async listServicesOf(resourceType: string, serviceNames: string[]): Promise<string[]> {
    const values = [resourceType, serviceNames]
    const rows = await query<{ name: string }>(this.#em, servicesOfTypeSql, values)
    return rows.map(({ name }) => name)
  }

  /** Replaces the declaration of a locked type. Returns its ID. */
  async replace(current: DeclaredType, declaration: Declaration): Promise<string> {
    const id = current.id ?? newId()
    const { kindId } = current
    const { description, allow_public, roles, conditions, requirements } = declaration
    await query(this.#em, upsertTypeSql, [kindId, id, description, allow_public])
    await query(this.#em, deleteRolesSql, [kindId, roles.map(({ name }) => name)])
    await query(this.#em, upsertRolesSql, [kindId, JSON.stringify(roles)])
    const names = conditions.map(({ name }) => name)
    await query(this.#em, deleteConditionsSql, [kindId, names])
    await query(this.#em, upsertConditionsSql, [kindId, JSON.stringify(conditions)])
    await query(this.#em, 'delete from resource_requirements where kind_id = $1', [kindId])
    await query(this.#em, insertRequirementsSql, [kindId, JSON.stringify(requirements)])
    return id
  }

  /** Removes the declaration of a locked type. */
  async remove(kindId: number): Promise<void> {
    await query(this.#em, 'delete from resource_types where kind_id = $1', [kindId])
  }

  /**
   * Prevents new shares with roles of a locked type until the end of the transaction, and waits for
   * those that are being written. Then `countShares` is final.
   */
  async lockRoles(kindId: number, names: string[]): Promise<void> {
    await query(this.#em, lockRolesSql, [kindId, names])
  }

  /** Returns the number of shares and links with each role of a type that any of them has. */
  async countShares(kindId: number): Promise<Map<string, number>> {
    const rows = await query<{ role: string; count: number }>(this.#em, countSharesSql, [kindId])
    return new Map(rows.map(({ role, count }) => [role, count]))
  }

  /**
   * Prevents new shares and links with conditions of a locked type until the end of the transaction,
   * and waits for those that are being written. Then `listUsedParams` is final.
   */
  async lockConditions(kindId: number, names: string[]): Promise<void> {
    await query(this.#em, lockConditionsSql, [kindId, names])
  }

  /** Returns the number of shares and links with each condition of a type that any of them has. */
  async countConditions(kindId: number): Promise<Map<string, number>> {
    type Row = { condition: string; count: number }
    const rows = await query<Row>(this.#em, countConditionsSql, [kindId])
    return new Map(rows.map(({ condition, count }) => [condition, count]))
  }

  /** Returns the distinct parameters of the shares and links with these conditions of a type. */
  listUsedParams(kindId: number, names: string[]): Promise<UsedParams[]> {
    return query(this.#em, usedParamsSql, [kindId, names])
  }

  /**
   * Prevents that further resources of a locked type become public until the end of the transaction,
   * and returns the number of those that are.
   */
  async countPublic(kindId: number): Promise<number> {
    await query(this.#em, lockTypeSql, [kindId])
    const [row] = await query<{ count: number }>(this.#em, countPublicSql, [kindId])
    return row?.count ?? 0
  }

  /**
   * Returns the types that allow public resources, and prevents until the end of the transaction that
   * they no longer do.
   */
  lockPublic(kinds: Kind[]): Promise<Kind[]> {
    const items = kinds.map(({ serviceName, resourceType }) => ({ serviceName, resourceType }))
    return query(this.#em, lockPublicSql, [JSON.stringify(items)])
  }

  async countResources(kindId: number): Promise<number> {
    const [row] = await query<{ count: number }>(this.#em, countResourcesSql, [kindId])
    return row?.count ?? 0
  }

  /** Returns the number of resources that inherit from a resource of a type. */
  async countBelow(kindId: number): Promise<number> {
    const [row] = await query<{ count: number }>(this.#em, countBelowSql, [kindId])
    return row?.count ?? 0
  }

  async #read(kindId: number): Promise<DeclaredType> {
    const [row] = await query<Declaration & { id: string }>(this.#em, readSql, [kindId])
    if (row) return { ...row, kindId }
    return { kindId, id: undefined, ...undeclared }
  }
}

/** The roles of the type `t`, as JSON. */
const roles = `coalesce((
    select json_agg(json_build_object('name', r.name, 'description', r.description,
      'actions', r.actions) order by r.position)
    from resource_roles r where r.kind_id = t.kind_id
  ), '[]')`

/** The conditions of the type `t`, as JSON. */
const conditions = `coalesce((
    select json_agg(json_build_object('name', c.name, 'description', c.description,
      'expression', c.expression, 'parameters', c.parameters) order by c.position)
    from resource_conditions c where c.kind_id = t.kind_id
  ), '[]')`

/** The requirements of the type `t`, as JSON. */
const requirements = `coalesce((
    select json_agg(json_build_object('action', n.action, 'condition', n.condition,
      'inherited', n.inherited_in is not null) order by n.position)
    from resource_requirements n where n.kind_id = t.kind_id
  ), '[]')`

/** The columns of a Declaration of the type `t`. */
const declaration = `t.description, t.allow_public, ${roles} as roles,
    ${conditions} as conditions, ${requirements} as requirements`

/** $1 resource type, $2 services. Returns the `name` of each service with resources of the type. */
const servicesOfTypeSql = `
  select k.service_name as name from resource_kinds k
  where k.resource_type = $1 and k.service_name = any($2::text[])
    and exists (select from resources r where r.kind_id = k.id)`

/** $1 service name, or null for all services. */
const listSql = `
  select k.service_name, k.resource_type, ${declaration}
  from resource_types t join resource_kinds k on k.id = t.kind_id
  where $1::text is null or k.service_name = $1
  order by k.service_name, k.resource_type`

/** $1 service name, $2 resource type. Registrations can still refer to the kind. */
const findKindSql = 'select id from resource_kinds where service_name = $1 and resource_type = $2'
const lockKindSql = `${findKindSql} for no key update`

/** $1 kind ID. */
const readSql = `
  select t.id, ${declaration}
  from resource_types t where t.kind_id = $1`

/** $1 kind ID, $2 ID, $3 description, $4 whether resources may be public. */
const upsertTypeSql = `
  insert into resource_types (kind_id, id, description, allow_public) values ($1, $2, $3, $4)
  on conflict (kind_id) do update
  set description = excluded.description, allow_public = excluded.allow_public`

/** $1 kind ID, $2 names to keep. */
const deleteRolesSql = 'delete from resource_roles where kind_id = $1 and name <> all($2::text[])'

/** $1 kind ID, $2 JSON array of ResourceRole. Updates only roles that differ. */
const upsertRolesSql = `
  insert into resource_roles as existing (kind_id, name, description, actions, position)
  select $1, name, description, array(select json_array_elements_text(actions)), position
  from rows from (
    json_to_recordset($2) as (name text, description text, actions json)
  ) with ordinality item(name, description, actions, position)
  on conflict (kind_id, name) do update
  set description = excluded.description, actions = excluded.actions, position = excluded.position
  where (existing.description, existing.actions, existing.position)
    is distinct from (excluded.description, excluded.actions, excluded.position)`

/** $1 kind ID, $2 names. */
const lockRolesSql = `
  select from resource_roles where kind_id = $1 and name = any($2::text[]) order by name for update`

/** $1 kind ID. The permission of a share with a condition begins with `?`. */
const countSharesSql = `
  select ltrim(permission, '?') as role, count(*)::int as count from (
    select permission from shares where kind_id = $1 and permission not in ('view', 'edit')
    union all
    select permission from resource_links where kind_id = $1 and permission not in ('view', 'edit')
  ) granted group by 1`

/** $1 kind ID, $2 names to keep. */
const deleteConditionsSql =
  'delete from resource_conditions where kind_id = $1 and name <> all($2::text[])'

/** $1 kind ID, $2 JSON array of ResourceCondition. Updates only conditions that differ. */
const upsertConditionsSql = `
  insert into resource_conditions as existing
    (kind_id, name, description, expression, parameters, position)
  select $1, name, description, expression, parameters, position
  from rows from (
    json_to_recordset($2) as (name text, description text, expression text, parameters json)
  ) with ordinality item(name, description, expression, parameters, position)
  on conflict (kind_id, name) do update
  set description = excluded.description, expression = excluded.expression,
    parameters = excluded.parameters, position = excluded.position
  where (existing.description, existing.expression, existing.parameters::text, existing.position)
    is distinct from (excluded.description, excluded.expression, excluded.parameters::text,
      excluded.position)`

/** $1 kind ID, $2 JSON array of ActionRequirement. */
const insertRequirementsSql = `
  insert into resource_requirements (kind_id, action, condition, inherited_in, position)
  select $1, action, condition, case when inherited then k.service_name end, position
  from resource_kinds k, rows from (
    json_to_recordset($2) as (action text, condition text, inherited boolean)
  ) with ordinality item(action, condition, inherited, position)
  where k.id = $1`

/** $1 kind ID, $2 names. */
const lockConditionsSql = `
  select from resource_conditions where kind_id = $1 and name = any($2::text[])
  order by name for update`

/** $1 kind ID. */
const countConditionsSql = `
  select condition, count(*)::int as count from (
    select condition from shares where kind_id = $1 and condition is not null
    union all
    select condition from resource_links where kind_id = $1 and condition is not null
  ) used group by condition`

/** $1 kind ID, $2 names. */
const usedParamsSql = `
  select condition, params, count(*)::int as count from (
    select condition, params from shares
    where kind_id = $1 and condition is not null and condition = any($2::text[])
    union all
    select condition, params from resource_links
    where kind_id = $1 and condition is not null and condition = any($2::text[])
  ) used group by condition, params`

/** $1 kind ID. */
const lockTypeSql = 'select from resource_types where kind_id = $1 for update'
const countPublicSql = `
  select count(*)::int as count from resources
  where kind_id = $1 and visibility = 'public' and ${isLiveResource('resources')}`

/** $1 JSON array of Kind. Locks in order, so that concurrent calls do not deadlock. */
const lockPublicSql = `
  select k.service_name as "serviceName", k.resource_type as "resourceType"
  from resource_types t join resource_kinds k on k.id = t.kind_id
  where t.allow_public and (k.service_name, k.resource_type) in (
    select "serviceName", "resourceType"
    from json_to_recordset($1) as item ("serviceName" text, "resourceType" text)
  )
  order by t.kind_id for share of t`

/** $1 kind ID. */
const countResourcesSql = `
  select count(*)::int as count from resources where kind_id = $1 and ${isLiveResource('resources')}`

/** $1 kind ID. "lateral" and "offset 0" make the planner read the children of each parent by index. */
const countBelowSql = `
  with recursive below as (
    select child.id, child.is_parent from resources parent cross join lateral (
      select id, is_parent from resources where parent_id = parent.id and inherits offset 0
    ) child
    where parent.kind_id = $1 and parent.is_parent and ${isLiveResource('parent')}
    union
    select child.id, child.is_parent from below cross join lateral (
      select id, is_parent from resources where parent_id = below.id and inherits offset 0
    ) child
    where below.is_parent
  )
  select count(*)::int as count from below join resources r on r.id = below.id
  where ${isLiveResource('r')}`
