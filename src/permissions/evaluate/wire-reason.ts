import type { AccessReason, AncestorResource } from '../../../gen/daikon/v1/admin_permissions.ts'
import type { Ancestor } from '../engine/load-reasons.ts'
import type { Reason } from './reasons.ts'

/** A reason with the names of messages. Members that do not apply are absent. */
export type WireReason = Omit<AccessReason, 'via' | 'missing'> & {
  via?: string[]
  missing?: readonly string[]
}

export function toWireReason({
  groupId,
  shareId,
  linkId,
  expiresAt,
  inheritedFrom,
  resourceType,
  resourceId,
  delegationId,
  ...reason
}: Reason): WireReason {
  return {
    ...reason,
    ...(groupId !== undefined && { group_id: groupId }),
    ...(shareId !== undefined && { share_id: shareId }),
    ...(linkId !== undefined && { link_id: linkId }),
    ...(expiresAt !== undefined && { expires_at: expiresAt }),
    ...(inheritedFrom && { inherited_from: toWireAncestor(inheritedFrom) }),
    ...(resourceType !== undefined && { resource_type: resourceType }),
    ...(resourceId !== undefined && { resource_id: resourceId }),
    ...(delegationId !== undefined && { delegation_id: delegationId }),
  }
}

function toWireAncestor({
  permissionId,
  resourceType,
  resourceId,
  externalId,
  displayName,
}: Ancestor): AncestorResource {
  return {
    permission_id: permissionId,
    resource_type: resourceType,
    resource_id: resourceId,
    ...(externalId !== undefined && { external_id: externalId }),
    ...(displayName !== undefined && { display_name: displayName }),
  }
}
