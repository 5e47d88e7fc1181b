import type { Statements } from '../../../database/statement-pool.ts'
import { chainCte } from '../chain.ts'
import type { Subject } from '../question.ts'
import { toSql } from '../statement.ts'
import type { ReasonRow } from '../statements/reasons.ts'
import { kindOf, ofEachKind, statementName } from '../subjects/subject-kinds.ts'

/** What decides whether an assumed grant would apply to a subject and a resource. */
export type AssumptionLookups = {
  /**
   * Returns whether the subject with this ID is in a group: `direct`, `indirect`, or `none`. Returns
   * undefined if the workspace has no such group.
   */
  findGroupMembership(
    subject: Subject,
    subjectId: string | undefined,
    groupId: string,
    workspaceId: string,
  ): Promise<'direct' | 'indirect' | 'none' | undefined>
  /**
   * Returns the ancestor with this `permission_id` from which a resource inherits, or undefined if
   * there is none.
   */
  findAncestor(id: string, ancestorId: string): Promise<ReasonRow['ancestor'] | undefined>
  /** Returns the digest of a condition of a type. */
  findConditionDigest(kindId: number, name: string): Promise<string | undefined>
  /** Returns the name of a custom role of a workspace, and whether it contains an action. */
  findCustomRole(
    roleId: string,
    workspaceId: string,
    action: { serviceName: string; name: string },
  ): Promise<{ name: string; hasAction: boolean } | undefined>
}

const membership = `
select m.is_direct from groups left join group_members m
  on m.group_id = groups.id and m.user_id = $1::uuid
where groups.id = $2 and groups.workspace_id = $3`

/** $1 subject ID, $2 group ID, $3 workspace. Returns whether the subject is a direct member. */
export const membershipSql = ofEachKind((_, { tables }) =>
  toSql({ ctes: tables('array[$1::uuid]'), select: membership }),
)

/** $1 `permission_id` of a resource, $2 of an ancestor. */
const ancestorSql = `
with recursive ${chainCte('from resources r where r.id = $1')}
select a.id, k.resource_type, a.resource_id, a.external_id, a.display_name
from chain join resources a on a.id = chain.id join resource_kinds k on k.id = a.kind_id
where chain.depth > 1 and chain.id = $2`

/** $1 kind ID, $2 name. */
const digestSql = 'select digest from resource_conditions where kind_id = $1 and name = $2'

/** $1 role ID, $2 workspace, $3 service, $4 action. Returns its name and whether it has the action. */
const customRoleSql = `
select role.name, exists (
  select from custom_role_actions ra join service_actions sa on sa.id = ra.service_action_id
  where ra.role_id = role.id and sa.service_name = $3 and sa.name = $4
)
from custom_roles role where role.id = $1 and role.workspace_id = $2`

export function createAssumptionLookups(statements: Statements): AssumptionLookups {
  return {
    async findGroupMembership(subject, subjectId, groupId, workspaceId) {
      const kind = kindOf(subject)
      const name = statementName('assumed membership', kind)
      const values = [subjectId, groupId, workspaceId]
      const [row] = await statements.rows<[boolean | null]>(name, membershipSql[kind], values)
      if (!row) return undefined
      if (row[0] === null) return 'none'
      return row[0] ? 'direct' : 'indirect'
    },
    async findAncestor(id, ancestorId) {
      type Row = [string, string, string, string | null, string | null]
      const [row] = await statements.rows<Row>('ancestor', ancestorSql, [id, ancestorId])
      if (!row) return undefined
      const [permissionId, resourceType, resourceId, externalId, displayName] = row
      return { permissionId, resourceType, resourceId, externalId, displayName }
    },
    async findConditionDigest(kindId, name) {
      const values = [kindId, name]
      const [row] = await statements.rows<[string]>('condition digest', digestSql, values)
      return row?.[0]
    },
    async findCustomRole(roleId, workspaceId, action) {
      const values = [roleId, workspaceId, action.serviceName, action.name]
      const [row] = await statements.rows<[string, boolean]>('custom role', customRoleSql, values)
      return row && { name: row[0], hasAction: row[1] }
    },
  }
}
