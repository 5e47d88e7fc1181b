import type { ReactNode } from 'react'
import type { GrantRule } from '../../../src/permissions/engine/grants/grant-rule.ts'
import { Name } from '../ui/name.tsx'
import { RowLink } from '../ui/row-link.tsx'
import { Time } from '../ui/time.tsx'
import { describeRole } from '../workspaces/roles.ts'
import { isGrantRule } from './grant-steps.ts'
import { type AccessReason, nameResource } from './resource-queries.ts'

/**
 * Describes a reason for access in a sentence, with a link to the group, share or ancestor that it comes from.
 */
export function Reason({ reason }: { reason: AccessReason }) {
  return (
    <span>
      {describe(reason)}
      {reason.condition && <>, under the condition {reason.condition}</>}
      {reason.resource_type && reason.resource_id && (
        <>
          {' of '}
          {reason.resource_type} {reason.resource_id}
        </>
      )}
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

/** What describes a grant, by its rule. */
const descriptions: Record<GrantRule, (reason: AccessReason) => ReactNode> = {
  owner: () => 'Owner of the resource',
  workspace_role: ({ role }) => `${describeRole(role ?? '')} of the workspace`,
  workspace_visibility: () => 'Visible to the workspace',
  public: () => 'Public',
  share: (reason) => `Shared with them ${describeGrant(reason)}`,
  group_share: (reason) => (
    <>
      Shared with the group {reason.group_id && <Name id={reason.group_id} />}{' '}
      {describeGrant(reason)}
      {reason.via.length > 0 && (
        <>
          , as a member of{' '}
          {reason.via.map((id, index) => (
            <span key={id}>
              {index > 0 && ' › '}
              <Name id={id} />
            </span>
          ))}
        </>
      )}
    </>
  ),
  custom_role: ({ role }) => `Custom role ${role}`,
  link: ({ rule }) => rule,
}

/** Describes a grant. The reason of a denial is its rule. */
function describe(reason: AccessReason): ReactNode {
  return isGrantRule(reason.rule) ? descriptions[reason.rule](reason) : reason.rule
}

function describeGrant({ permission, role }: AccessReason): string {
  return role === null ? `(${permission})` : `as ${role}`
}
