import { chainCte } from '../chain.ts'
import type { ReasonSelect } from '../grants/grant-kind.ts'
import { partsOf } from '../grants/grant-kinds.ts'
import type { GrantRule } from '../grants/grant-rule.ts'
import { askedColumns, chainColumns, reasonSubjectColumns } from '../grants/offered-columns.ts'
import { ancestorsFrom, askOfSubjects, checkBits, checksFrom } from './checks.ts'
import { requirementList, requiringKinds, selectRequired } from './requirements.ts'
import { storedVariables } from './uncertain.ts'

const offered = { subject: reasonSubjectColumns, chain: chainColumns, asked: askedColumns }

const reasonRows = partsOf('reasons')
  .map(({ rule, order, part }) => reasonSelect(rule, part(offered), order))
  .join('\n    union all\n    ')

function reasonSelect(rule: GrantRule, columns: ReasonSelect, order: number): string {
  const { bits, permission, role, groupId, isDirect, shareId, expiresAt, from } = columns
  const { condition, digest, params, conditionalBits } = columns
  return `select '${rule}' as rule, ${bits} as bits, ${permission ?? 'null'} as permission,
      ${role ?? 'null'} as role, ${groupId ?? 'null::uuid'} as group_id,
      ${isDirect ?? 'null::boolean'} as is_direct, ${shareId ?? 'null::uuid'} as share_id,
      ${expiresAt ?? 'null::timestamptz'} as expires_at, ${condition ?? 'null::text'} as condition,
      ${digest ?? 'null::text'} as digest, ${params ?? 'null::jsonb'} as params,
      ${conditionalBits ?? 'null::int'} as conditional_bits, chain.*, ${order} as rule_order
    from ${from}`
}

/**
 * The grants of the subject `q` on the resource `r` and on the ancestors that it inherits from, as a
 * JSON array of ReasonRow.
 */
const grantList = `(
  with recursive ${chainCte('where r.id is not null')}, granted as (
    ${reasonRows}
  )
  select coalesce(json_agg(json_build_object(
    'rule', rule, 'bits', bits, 'permission', permission, 'role', role, 'groupId', group_id,
    'isDirect', is_direct, 'shareId', share_id, 'expiresAt', expires_at,
    'condition', condition, 'digest', digest, 'params', params,
    'conditionalBits', conditional_bits,
    'ancestor', case when depth > 1 then (
      select json_build_object('permissionId', a.id, 'resourceType', k.resource_type,
        'resourceId', a.resource_id, 'externalId', a.external_id,
        'displayName', a.display_name)
      from resources a join resource_kinds k on k.id = a.kind_id where a.id = granted.id
    ) end
  ) order by depth, rule_order, share_id, role), '[]')
  from granted
)`

/** The links between groups of the subject `q`, as JSON: [parent id, child id, is direct member]. */
export const groupLinks = `(
  select json_agg(json_build_array(p.parent_id, p.child_id, g.is_direct) order by p.child_id)
  from group_members g join group_parents p on p.child_id = g.group_id
  where g.user_id = q.user_id and g.workspace_id = q.workspace_id
)`

/** The names of the objects of a check, as JSON. */
const names = `json_build_object(
  'userId', i.user_id,
  'user', (select coalesce(nullif(name, ''), email) from users where id = i.user_id),
  'workspace', (select name from workspaces where id = q.workspace_id),
  'resource', case when q.is_outside then null else r.external_id end,
  'displayName', case when q.is_outside then null else r.display_name end,
  'inherits', q.is_outside is not true and r.parent_id is not null and r.inherits,
  'groupCount', (
    select count(*) from group_members g
    where g.user_id = q.user_id and g.workspace_id = q.workspace_id
  )
)`

/**
 * $1 to $11 as in `checks.ts`. Returns a row for each check, in order: the bits of the check without
 * the grants that are listed, the list of grants, the links between the groups of the user, names, the
 * time, the requirements of the resource type, StoredVariables, the ancestors that require something, and
 * `requiringKinds`. Kinds with a coverage also return StoredLimits.
 */
export const reasonsSql = askOfSubjects(
  (kind) => `select ${checkBits('withAncestors', '0', kind)}, ${grantList}, ${groupLinks}, ${names},
  statement_timestamp()::text, ${requirementList('r.kind_id')},
  case when r.id is not null then
    ${storedVariables('i.user_id', kind.coverage?.agentOf('i.subject_id'))} end,
  ancestors.requiring, ${requiringKinds}${kind.coverage ? `,\n  ${kind.coverage.limitsOfResource}` : ''}
from ${checksFrom('withAncestors', kind)}
cross join ${ancestorsFrom()}
order by i.position`,
  { required: selectRequired('$6::text[]') },
)

/** $1 array of group IDs. Returns the ID and the name of each group. */
export const groupNamesSql = 'select id, name from groups where id = any($1::uuid[])'

/** $1 to $5 as in `checks.ts`. Returns the user ID and the status of each subject. */
export const subjectSql = askOfSubjects(
  () => 'select user_id, status from subject order by position',
)

/** A grant in the result of `reasonsSql`. */
export type ReasonRow = {
  rule: GrantRule
  bits: number
  permission: string | null
  role: string | null
  groupId: string | null
  isDirect: boolean | null
  shareId: string | null
  expiresAt: string | null
  condition: string | null
  digest: string | null
  params: Record<string, unknown> | null
  conditionalBits: number | null
  ancestor: {
    permissionId: string
    resourceType: string
    resourceId: string
    externalId: string | null
    displayName: string | null
  } | null
}

export type GroupLink = [parentId: string, childId: string, isDirect: boolean]

/** The names in the result of `reasonsSql`. */
export type NamesRow = {
  userId: string | null
  user: string | null
  workspace: string | null
  resource: string | null
  displayName: string | null
  inherits: boolean | null
  groupCount: number
}
