import { isLiveResource } from '../../database/deleted-rows.ts'
import type { Statements } from '../../database/statement-pool.ts'
import { maxChainLength } from '../../permissions/engine/chain.ts'
import type { PairedResource, PairedShare } from '../../permissions/engine/grants/access-pairs.ts'
import { barePermission, isLive } from '../../permissions/engine/grants/live-share.ts'

/** A resource by the keys of `resources`. */
export type ResourceKey = { kindId: number; resourceId: string }

/** A resource type of a service. */
export type Kind = { id: number; resourceType: string }

/** What a resource is now. `row` is undefined if it does not exist, or has been deleted with its tree or workspace. */
export type ResourceState = ResourceKey & {
  resourceType: string
  /** The ID of the row, undefined if there is none. */
  rowId: string | undefined
  row: (PairedResource & StateRow) | undefined
}

type StateRow = {
  externalId: string | null
  isParent: boolean
  /** The IDs of the rows of the resources that it inherits from. */
  ancestorIds: string[]
}

/** A resource below another one. */
export type Child = ResourceKey & { id: string; isParent: boolean; parentId: string }

/** The maximum number of keys and of resources that a statement reads. */
export const maxKeys = 500

/** The maximum number of rows that a statement looks through for parents. */
const maxScanned = 5000

/** The number of grants after which a statement returns no more resources. One resource can have more. */
const enoughGrants = 2000

/** Reads resources in pages, on the primary. */
export type ResourceStateStore = {
  findKinds(serviceName: string): Promise<Kind[]>
  /**
   * Returns IDs of resources of a kind after one, in their order, only of `workspaceId` if it is set and
   * only parents unless `isAsked`. `last` is the ID after which the next page begins, undefined at the end.
   */
  readIds(
    kindId: number,
    after: string,
    options: { workspaceId: string | undefined; isAsked: boolean },
  ): Promise<{ ids: string[]; last: string | undefined }>
  /** Returns resources below parents, in their order, those of the first one after `after`. */
  readChildren(parentIds: string[], after: ResourceKey): Promise<Child[]>
  /** Returns the states of the first resources: at least one, and not all if they have many grants. */
  readStates(keys: ResourceKey[]): Promise<ResourceState[]>
}

/** The ID that precedes all others. */
export const firstId = '00000000-0000-0000-0000-000000000000'

const kindsSql = 'select id, resource_type from resource_kinds where service_name = $1 order by id'

/** $1 kind, $2 ID, $3 whether all resources are asked for, $4 maximum number, $5 workspace. */
function idsSql(condition: string): string {
  return `
  select json_agg(resource_id order by resource_id) filter (where is_parent or $3),
    count(*)::int, (array_agg(resource_id order by resource_id desc))[1]
  from (
    select resource_id, is_parent from resources
    where kind_id = $1 and resource_id > $2 ${condition}
    order by resource_id limit $4
  ) page`
}

const allIdsSql = idsSql('')
const workspaceIdsSql = idsSql('and workspace_id = $5')

/** $1 IDs of parents, $2 and $3 the key after which those of the first parent begin. */
const childrenSql = `
select child.kind_id, child.resource_id, child.id, child.is_parent, parent.id
from unnest($1::uuid[]) with ordinality parent (id, n) cross join lateral (
  select kind_id, resource_id, id, is_parent from resources
  where parent_id = parent.id and (kind_id, resource_id) > (
    case when parent.n = 1 then $2::int else 0 end,
    case when parent.n = 1 then $3::uuid else '${firstId}' end)
  order by kind_id, resource_id limit ${maxKeys} offset 0
) child
order by parent.n, child.kind_id, child.resource_id limit ${maxKeys}`

const grantJson = (grantee: string, isGroup: string) => `json_agg(json_build_array(
      ${grantee}, ${isGroup}, ${barePermission}, starts_with(s.permission, '?'), s.expires_at))`
const ofResource = (alias: string) =>
  `where s.kind_id = ${alias}.kind_id and s.resource_id = ${alias}.resource_id`

/** $1 and $2 keys. Returns a StateColumns for each of the first keys. */
const statesSql = `
with item as (
  select n, key.kind_id, key.resource_id,
    (select count(*) from shares s ${ofResource('key')})
      + (select count(*) from resource_links s ${ofResource('key')}) as grants
  from unnest($1::int[], $2::uuid[]) with ordinality key (kind_id, resource_id, n)
), bounded as (
  select n, kind_id, resource_id, sum(grants) over (order by n) - grants as before from item
)
select bounded.kind_id, bounded.resource_id, k.resource_type, r.id,
  coalesce(${isLiveResource('r')}, false), r.workspace_id, r.owner_id, r.visibility,
  r.external_id, r.is_parent,
  (select ${grantJson('coalesce(s.user_id, s.group_id)', 's.group_id is not null')}
    from shares s ${ofResource('r')} and ${isLive('s')}),
  (select ${grantJson('s.id', 'false')}
    from resource_links s ${ofResource('r')} and ${isLive('s')}),
  (
    with recursive chain as (
      select a.id, a.parent_id, a.inherits, 1 as depth
      from resources a where a.id = r.parent_id and r.inherits
      union all
      select a.id, a.parent_id, a.inherits, chain.depth + 1
      from chain join resources a on a.id = chain.parent_id
      where chain.inherits and chain.depth < ${maxChainLength - 1}
    )
    select json_agg(id order by depth) from chain
  )
from bounded
join resource_kinds k on k.id = bounded.kind_id
left join resources r on r.kind_id = bounded.kind_id and r.resource_id = bounded.resource_id
where bounded.before < ${enoughGrants}
order by bounded.n`

type GrantRow = [
  granteeId: string,
  isGroup: boolean,
  permission: string,
  isConditional: boolean,
  expiresAt: string | null,
]

type StateColumns = [
  kindId: number,
  resourceId: string,
  resourceType: string,
  rowId: string | null,
  isLive: boolean,
  // Null without a row.
  workspaceId: string | null,
  ownerId: string | null,
  visibility: PairedResource['visibility'] | null,
  externalId: string | null,
  isParent: boolean | null,
  shares: GrantRow[] | null,
  links: GrantRow[] | null,
  ancestorIds: string[] | null,
]

export function createResourceStateStore(statements: Statements): ResourceStateStore {
  return {
    async findKinds(serviceName) {
      const rows = await statements.rows<[number, string]>('kinds of service', kindsSql, [
        serviceName,
      ])
      return rows.map(([id, resourceType]) => ({ id, resourceType }))
    },
    async readIds(kindId, after, { workspaceId, isAsked }) {
      type Row = [ids: string[] | null, count: number, last: string | null]
      const limit = isAsked ? maxKeys : maxScanned
      const values = [kindId, after, isAsked, limit]
      const [row] = await (workspaceId === undefined
        ? statements.rows<Row>('resources of kind', allIdsSql, values)
        : statements.rows<Row>('resources of kind in workspace', workspaceIdsSql, [
            ...values,
            workspaceId,
          ]))
      const [ids, count, last] = row ?? [null, 0, null]
      return { ids: ids ?? [], last: count === limit && last !== null ? last : undefined }
    },
    async readChildren(parentIds, { kindId, resourceId }) {
      type Row = [...key: [number, string], id: string, isParent: boolean, parentId: string]
      const values = [parentIds, kindId, resourceId]
      const rows = await statements.rows<Row>('resources below', childrenSql, values)
      return rows.map(([kind, resource, id, isParent, parentId]) => {
        return { kindId: kind, resourceId: resource, id, isParent, parentId }
      })
    },
    async readStates(keys) {
      const values = [keys.map(({ kindId }) => kindId), keys.map(({ resourceId }) => resourceId)]
      const rows = await statements.rows<StateColumns>('states of resources', statesSql, values)
      return rows.map(toState)
    },
  }
}

function toState(columns: StateColumns): ResourceState {
  const [kindId, resourceId, resourceType, rowId, isRowLive, workspaceId, ...more] = columns
  const [ownerId, visibility, externalId, isParent, shares, links, ancestorIds] = more
  const toGrant = ([granteeId, isGroup, permission, isConditional, expiresAt]: GrantRow) => ({
    granteeId,
    isGroup,
    permission,
    isConditional,
    expiresAt: expiresAt === null ? null : new Date(expiresAt),
    resourceType,
  })
  const toGrants = (rows: GrantRow[] | null): PairedShare[] => (rows ?? []).map(toGrant)
  const key = { kindId, resourceId, resourceType, rowId: rowId ?? undefined }
  if (!isRowLive || workspaceId === null || visibility === null) return { ...key, row: undefined }
  return {
    ...key,
    row: {
      workspaceId,
      ownerId,
      visibility,
      externalId,
      isParent: isParent === true,
      shares: toGrants(shares),
      links: toGrants(links),
      ancestorIds: ancestorIds ?? [],
    },
  }
}
