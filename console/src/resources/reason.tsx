import type { ReactNode } from 'react'
import { Name } from '../ui/name.tsx'
import { RowLink } from '../ui/row-link.tsx'
import { Time } from '../ui/time.tsx'
import { describeRole } from '../workspaces/roles.ts'
import { type AccessReason, nameResource } from './resource-queries.ts'

/**
 * Describes a reason for access in a sentence, with a link to the group, share or ancestor that it comes from.
 */
export function Reason({ reason }: { reason: AccessReason }) {
  return (
    <span>
      {describe(reason)}
      {reason.condition && <>, under the condition {reason.condition}</>}
      {reason.expires_at && (
        <>
          , until <Time value={reason.expires_at} />
        </>
      )}
      {reason.inherited_from && (
        <>
          , inherited from{' '}
          <RowLink
            to="/resources/$permissionId"
            params={{ permissionId: reason.inherited_from.permission_id }}
            className="link"
          >
            {nameResource(reason.inherited_from)}
          </RowLink>
        </>
      )}
    </span>
  )
}

function describe(reason: AccessReason): ReactNode {
  const { rule, role, group_id: groupId, via } = reason
  switch (rule) {
    case 'owner':
      return 'Owner of the resource'
    case 'workspace_role':
      return `${describeRole(role ?? '')} of the workspace`
    case 'workspace_visibility':
      return 'Visible to the workspace'
    case 'public':
      return 'Public'
    case 'share':
      return `Shared with them ${describeGrant(reason)}`
    case 'group_share':
      return (
        <>
          Shared with the group {groupId && <Name id={groupId} />} {describeGrant(reason)}
          {via.length > 0 && (
            <>
              , as a member of{' '}
              {via.map((id, index) => (
                <span key={id}>
                  {index > 0 && ' › '}
                  <Name id={id} />
                </span>
              ))}
            </>
          )}
        </>
      )
    case 'custom_role':
      return `Custom role ${role}`
    default:
      return rule
  }
}

function describeGrant({ permission, role }: AccessReason): string {
  return role === null ? `(${permission})` : `as ${role}`
}
