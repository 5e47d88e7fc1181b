import { v7 as uuid } from 'uuid'
import type { Acknowledgement } from '../../gen/daikon/v1/acknowledgement.ts'
import type { Share, ShareRequest } from '../../gen/daikon/v1/permissions.ts'
import { actorOf, entryRow, insertEntries, recordActivity } from '../activity/record-activity.ts'
import { ServiceError } from '../core/errors.ts'
import type { RequestContext, WriteContext } from '../core/request-context.ts'
import { batched } from '../database/batched-query.ts'
import { violates } from '../database/database-errors.ts'
import type { SharePermission } from '../database/entities/resources.ts'
import { preparedChange } from '../database/prepared.ts'
import { inTransaction } from '../database/transaction.ts'
import {
  type Resource,
  requireManager,
  requireResource,
  type ShareRow,
  viewShare,
} from './resource.ts'

/** Shares a resource with a user or group of its workspace, in place of what they had. */
export async function share(
  { em, principal }: WriteContext,
  request: ShareRequest,
): Promise<Share> {
  const resource = await requireResource(em, principal, request.permission_id)
  requireManager(principal, resource)
  const { kind_id, resource_id, workspace_id } = resource
  const actor = actorOf(principal)
  try {
    const row = await batched<ShareRow>(em, sharing[granteeColumn(request)], {
      ...{ id: uuid(), kind_id, resource_id, workspace_id, granted_by: actor.actorId },
      ...{ grantee_id: request.grantee_id, permission: request.permission },
      entry: entryRow(actor, shareEntry('permission.shared', resource, request)),
    })
    return viewShare(row as ShareRow)
  } catch (error) {
    // The foreign keys are the rule: a member or a group of this very workspace.
    if (!violates(error, 'foreign')) throw error
    // The resource may have gone since.
    await requireResource(em, principal, request.permission_id)
    const kind = request.grantee_type
    throw new ServiceError('not_found', 'GRANTEE_NOT_FOUND', `No such ${kind} in the workspace`)
  }
}

const sharing = { user_id: sharingWith('user_id'), group_id: sharingWith('group_id') }

function sharingWith(grantee: Grantee) {
  return {
    name: `share_${grantee}`,
    run: preparedChange,
    text: `
      with asked as (
        select * from json_to_recordset($1) as asked (
          place int, id uuid, kind_id int, resource_id uuid, workspace_id uuid, grantee_id uuid,
          permission text, granted_by uuid, entry json)
      ), changed as (
        insert into shares
          (id, kind_id, resource_id, workspace_id, ${grantee}, permission, granted_by)
        select id, kind_id, resource_id, workspace_id, grantee_id, permission, granted_by
        from asked
        order by kind_id, resource_id, grantee_id
        on conflict (${grantee}, workspace_id, kind_id, resource_id) where ${grantee} is not null
        do update set permission = excluded.permission, granted_by = excluded.granted_by,
          granted_at = excluded.granted_at
        returning *
      ), entries as (${insertEntries})
      select asked.place, changed.* from changed join asked
        on asked.kind_id = changed.kind_id and asked.resource_id = changed.resource_id
        and asked.grantee_id = changed.${grantee}`,
  }
}

/** Takes a share back, whatever it gave. */
export async function revokeShare(
  { em, principal }: RequestContext,
  request: ShareRequest,
): Promise<Acknowledgement> {
  const resource = await requireResource(em, principal, request.permission_id)
  const { kind_id, resource_id } = resource
  return inTransaction(em, async (em) => {
    const [gone] = await em.execute<{ permission: SharePermission }[]>(
      `delete from shares where kind_id = ? and resource_id = ? and ${granteeColumn(request)} = ?
       returning permission`,
      [kind_id, resource_id, request.grantee_id],
    )
    if (!gone) throw new ServiceError('not_found', 'SHARE_NOT_FOUND', 'Share not found')
    const { permission } = gone
    const entry = shareEntry('permission.share_revoked', resource, { ...request, permission })
    await recordActivity(em, actorOf(principal), entry)
    return { status: 'ok' }
  })
}

type Grantee = 'user_id' | 'group_id'

function granteeColumn({ grantee_type }: ShareRequest): Grantee {
  return grantee_type === 'user' ? 'user_id' : 'group_id'
}

function shareEntry<Name extends 'permission.shared' | 'permission.share_revoked'>(
  action: Name,
  { id, workspace_id, service_name, resource_type, resource_id }: Resource,
  { grantee_type, grantee_id, permission }: ShareRequest,
) {
  const subject = { service_name, resource_type, resource_id }
  const detail = { ...subject, grantee_type, grantee_id: grantee_id.toLowerCase(), permission }
  return { action, targetId: id, workspaceId: workspace_id, detail }
}
