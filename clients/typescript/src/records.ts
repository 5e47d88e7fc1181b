import type { Permission, Visibility } from './argument-types.ts'
import type {
  InheritedGrants,
  ResourcePermissionResponse,
  ShareResponse,
} from './gen/daikon/v1/permissions.ts'
import { requireList, requireText } from './responses.ts'
import type { Ancestor, Reason, RegisteredResource, Share } from './results.ts'

/** Converts a permission record of the API. */
export function readResource(record: ResourcePermissionResponse): RegisteredResource {
  const { parent } = record
  return {
    type: record.resource_type,
    id: record.external_id ?? record.resource_id,
    resourceId: record.resource_id,
    workspaceId: record.workspace_id,
    ownerId: record.owner_id,
    ownerName: record.owner_name,
    ownerEmail: record.owner_email,
    visibility: record.visibility as Visibility,
    parent: parent && { type: parent.resource_type, resourceId: parent.resource_id },
    inherits: record.inherits,
    attributes: record.attributes ?? {},
    displayName: record.display_name,
    createdAt: new Date(record.created_at ?? 0),
    shares: requireList('shares', record.shares).map(readShare),
    // Servers of older versions do not send it.
    ancestors: (record.ancestors ?? []).map(readAncestor),
    ...readPosition(record),
  }
}

function readAncestor(record: InheritedGrants): Ancestor {
  return {
    type: record.resource_type,
    id: record.external_id ?? record.resource_id,
    resourceId: record.resource_id,
    displayName: record.display_name,
    ownerId: record.owner_id,
    ownerName: record.owner_name,
    ownerEmail: record.owner_email,
    visibility: record.visibility as Visibility,
    shares: requireList('shares', record.shares).map(readShare),
  }
}

/** Converts a share of the API. */
export function readShare(share: ShareResponse): Share {
  const { grantee_type, grantee_id } = share
  return {
    id: requireText('id', share.id),
    grantee: grantee_type === 'user' ? { userId: grantee_id } : { groupId: grantee_id },
    granteeName: share.grantee_name,
    granteeEmail: share.grantee_email,
    permission: (share.permission || undefined) as Permission | undefined,
    role: share.role,
    grantedBy: share.granted_by,
    grantedAt: new Date(share.granted_at ?? 0),
    expiresAt: share.expires_at === undefined ? undefined : new Date(share.expires_at),
    condition: share.condition,
    ...readPosition(share),
  }
}

/** Returns the position of an answer, which only changes have. */
export function readPosition({ position }: { position?: string | undefined }) {
  return position === undefined ? {} : { position }
}

/** `context.reasons` of an explained evaluation. */
type ReasonRecord = {
  rule: Reason['rule']
  permission?: Permission
  role?: string
  group_id?: string
  share_id?: string
  link_id?: string
  expires_at?: string
  condition?: string
  missing?: string[]
  inherited_from?: { resource_type: string; resource_id: string }
  resource_type?: string
  resource_id?: string
  delegation_id?: string
  agent?: NonNullable<Reason['agent']>
  uncovered?: NonNullable<Reason['uncovered']>
}

/** Converts the reasons of an explained evaluation. */
export function readReasons(context: Record<string, unknown> | undefined): Reason[] {
  const records = (context?.reasons ?? []) as ReasonRecord[]
  return records.map(({ group_id, share_id, link_id, expires_at, inherited_from, ...record }) => {
    const { rule, permission, role, condition, missing, resource_type, resource_id } = record
    const { delegation_id, agent, uncovered } = record
    return {
      rule,
      ...(permission && { permission }),
      ...(role && { role }),
      ...(group_id && { groupId: group_id }),
      ...(share_id && { shareId: share_id }),
      ...(link_id && { linkId: link_id }),
      ...(condition && { condition }),
      ...(missing && { missing }),
      ...(expires_at && { expiresAt: new Date(expires_at) }),
      ...(inherited_from && {
        inheritedFrom: {
          type: inherited_from.resource_type,
          resourceId: inherited_from.resource_id,
        },
      }),
      ...(resource_type &&
        resource_id && { requiredBy: { type: resource_type, resourceId: resource_id } }),
      ...(delegation_id && { delegationId: delegation_id }),
      ...(agent && { agent }),
      ...(uncovered && { uncovered }),
    }
  })
}
