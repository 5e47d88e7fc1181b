import type { Acknowledgement } from '../../gen/daikon/v1/acknowledgement.ts'
import type {
  GroupMemberRequest,
  GroupMemberResponse,
  GroupRequest,
  ListGroupMembersResponse,
} from '../../gen/daikon/v1/groups.ts'
import type { DeleteResponse } from '../../gen/daikon/v1/workspaces.ts'
import { record } from '../activity/record.ts'
import { actorOf, type Context } from '../rpc/call.ts'
import { Fault } from '../rpc/fault.ts'
import { GroupMember } from '../storage/entities/people.ts'
import { violates } from '../storage/storage-fault.ts'
import { isoTime, type Timestamp } from '../storage/timestamp.ts'
import { inTransaction } from '../storage/transaction.ts'
import { requireGroup } from './groups.ts'

/** The members of a group, in the order they became known. */
export async function listGroupMembers(
  { em }: Context,
  request: GroupRequest,
): Promise<ListGroupMembersResponse> {
  const { id } = await requireGroup(em, request)
  type Row = Omit<GroupMemberResponse, 'added_at'> & { added_at: Timestamp }
  const rows = await em.execute<Row[]>(
    `select g.user_id, g.group_id, u.email, g.added_at,
       case when m.joined_at is null then '' else u.name end as name,
       case when m.joined_at is null then '' else u.avatar_url end as avatar_url
     from group_members g
     join members m on m.user_id = g.user_id and m.workspace_id = g.workspace_id
     join users u on u.id = g.user_id
     where g.group_id = ? order by g.user_id`,
    [id],
  )
  return { members: rows.map((row) => ({ ...row, added_at: isoTime(row.added_at) })) }
}

/** Adds a member of the group's workspace; again changes nothing. */
export async function addGroupMember(
  { em, caller }: Context,
  request: GroupMemberRequest,
): Promise<Acknowledgement> {
  return inTransaction(em, async (em) => {
    const { id, workspace_id, name } = await requireGroup(em, request)
    const [added] = await em
      .execute<{ user_id: string }[]>(
        `insert into group_members (group_id, user_id, workspace_id) values (?, ?, ?)
         on conflict do nothing returning user_id`,
        [id, request.user_id, workspace_id],
      )
      .catch((error) => {
        // The foreign key is the rule: only members of the workspace can be in its groups.
        throw violates(error, 'foreign') ? memberMissing() : error
      })
    if (added) {
      const detail = { name, user_id: added.user_id }
      const entry = { action: 'group.member_added', detail } as const
      await record(em, actorOf(caller), { ...entry, targetId: id, workspaceId: workspace_id })
    }
    return { status: 'ok' }
  })
}

/** Takes a member out of a group. */
export async function removeGroupMember(
  { em, caller }: Context,
  request: GroupMemberRequest,
): Promise<DeleteResponse> {
  return inTransaction(em, async (em) => {
    const { id, workspace_id, name } = await requireGroup(em, request)
    const user_id = request.user_id.toLowerCase()
    if (!(await em.nativeDelete(GroupMember, { group_id: id, user_id }))) throw memberMissing()
    const entry = { action: 'group.member_removed', detail: { name, user_id } } as const
    await record(em, actorOf(caller), { ...entry, targetId: id, workspaceId: workspace_id })
    return {}
  })
}

function memberMissing(): Fault {
  return new Fault('missing', 'MEMBER_NOT_FOUND', 'Member not found')
}
