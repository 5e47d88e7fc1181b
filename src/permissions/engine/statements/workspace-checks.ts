import { grant } from '../../access.ts'
import { membershipBitsSql } from '../bits.ts'
import type { RoleRows } from '../grants/grant-kind.ts'
import { partsOf } from '../grants/grant-kinds.ts'
import type { GrantRule } from '../grants/grant-rule.ts'
import { serviceSubjectColumns } from '../grants/offered-columns.ts'
import { workspaceType } from '../workspace-type.ts'
import { actionColumns, askOfSubjects, withCoverage } from './checks.ts'
import { groupLinks } from './reasons.ts'
import { actionBitsSql } from './status.ts'

/** Returns SQL: whether a service has registered resources of the type `workspace` itself. */
export function hasOwnWorkspaces(service: string): string {
  return `exists (
    select from resource_kinds k
    where k.service_name = ${service} and k.resource_type = '${workspaceType}'
      and exists (select from resources r where r.kind_id = k.id)
  )`
}

function roleRows(rule: GrantRule, { role, groupId, isDirect, from }: RoleRows): string {
  return `select '${rule}' as rule, ${role} as role, ${groupId ?? 'null::uuid'} as "groupId",
        ${isDirect ?? 'null::boolean'} as "isDirect"
      from ${from}`
}

const customRoleRows = partsOf('workspaceRoles').map(({ rule, part }) =>
  roleRows(rule, part({ subject: serviceSubjectColumns })),
)

/** The custom roles of `q` with the action, as a JSON array of WorkspaceRole. */
const customRoles = `(
    with chain as (select 1 as depth)
    select coalesce(json_agg(roles order by role, "groupId"), '[]') from (
      ${customRoleRows.join('\n      union all\n      ')}
    ) roles
  )`

/**
 * Parameters, each an array:
 *
 * | $1 to $5  | subjects, as in `checks.ts`                                               |
 * | $6, $7    | checks: position of the subject, service                                  |
 * | $8, $9    | checks: the workspace by its ID or by its slug; the other is null         |
 * | $10       | checks: action, as in `checks.ts`                                         |
 *
 * Returns for each check, in order:
 *
 * | 1         | `hasOwnWorkspaces`: the check is about a resource, and the rest does not count |
 * | 2         | the facts as bits (`bits.ts`)                                             |
 * | 3, 4, 5   | role of the member, `customRoles`, `groupLinks`                           |
 * | 6, 7      | names of the user and the workspace, null if they are unknown             |
 * | 8         | of kinds with a coverage, StoredLimits                                    |
 *
 * A member may view the workspace. Its owners and admins may do everything, as with the resources
 * in it, and members who have a custom role with an action may perform it.
 */
export const workspaceChecksSql = askOfSubjects(
  (kind) => `select ${hasOwnWorkspaces('q.service')},
  q.status
    | case when q.is_limited then 0 else ${membershipBitsSql('m')} end
    | case when q.workspace_id is null then 0 else ${grant.registered} end
    | case when m.role is null then 0 else ${grant.view} end
    | ${withCoverage(actionBitsSql, kind.coverage?.bitsOfWorkspace)},
  m.role, ${customRoles}, ${groupLinks},
  (select coalesce(nullif(name, ''), email) from users where id = q.user_id),
  q.workspace_name${kind.coverage ? `,\n  ${kind.coverage.limitsOfWorkspace}` : ''}
from (
  select subjects.user_ids[item.subject] as user_id, subjects.statuses[item.subject] as status,
    subjects.workspace_ids[item.subject] is not null as is_limited, item.service, ${actionColumns(kind)},
    item.position, w.id as workspace_id, w.name as workspace_name
  from subjects cross join unnest($6::int[], $7::text[], $8::uuid[], $9::text[], $10::text[])
    with ordinality item(subject, service, id, slug, action, position)
  left join lateral (
    select id, name from workspaces where id = item.id
    union all
    select id, name from workspaces where slug = item.slug
  ) w on subjects.workspace_ids[item.subject] is null
    or subjects.workspace_ids[item.subject] = w.id
  offset 0
) q
left join lateral (
  select role, is_guest from live_members where user_id = q.user_id and workspace_id = q.workspace_id offset 0
) m on true
order by q.position`,
)
