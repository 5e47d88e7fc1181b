import type {
  AddMembersRequest,
  BulkResponse,
  UpdateMembersRequest,
} from '../../gen/daikon/v1/bulk_changes.ts'
import { changeEach } from '../core/bulk.ts'
import type { RequestContext } from '../core/request-context.ts'
import { type InviteContext, inviteUser } from './invitations.ts'
import {
  type MemberRemovalStores,
  type MemberUpdateStores,
  removeMember,
  updateMember,
} from './members.ts'
import { requireWorkspaceExists } from './workspaces.ts'

type Context = Pick<
  RequestContext<MemberUpdateStores & MemberRemovalStores>,
  'stores' | 'principal' | 'now'
>

/** Changes the role of members or removes them, each wholly or not at all. */
export async function updateMembers(
  { stores, ...context }: Context,
  { workspace_id, user_ids, role, remove }: UpdateMembersRequest,
): Promise<BulkResponse> {
  await requireWorkspaceExists(stores.workspaces, workspace_id)
  return changeEach(stores, user_ids, async (tx, user_id) => {
    const member = { workspace_id, user_id }
    if (remove) await removeMember({ ...context, stores: tx }, member)
    else if (role) await updateMember({ ...context, stores: tx }, { ...member, role })
  })
}

/** Invites existing users to a workspace, each wholly or not at all. */
export async function addMembers(
  { stores, ...context }: InviteContext,
  { workspace_id, user_ids, role }: AddMembersRequest,
): Promise<BulkResponse> {
  await requireWorkspaceExists(stores.workspaces, workspace_id)
  return changeEach(stores, user_ids, (tx, user_id) =>
    tx.transaction((tx) => inviteUser({ ...context, tx }, { user_id, workspace_id, role })),
  )
}
