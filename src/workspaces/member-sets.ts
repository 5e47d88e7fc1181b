import type { EntityManager } from '@mikro-orm/postgresql'
import type { Acknowledgement } from '../../gen/daikon/v1/acknowledgement.ts'
import type { DeleteResponse } from '../../gen/daikon/v1/workspaces.ts'
import { actorOf, recordActivity } from '../activity/record-activity.ts'
import { ServiceError } from '../core/errors.ts'
import type { WriteContext } from '../core/request-context.ts'
import { violates } from '../database/database-errors.ts'
import { isoTime, type Timestamp } from '../database/sql-values.ts'

/** What holds some members of its workspace: the table of who is in it, and its key there. */
const sets = {
  group: { table: 'group_members', key: 'group_id' },
  role: { table: 'custom_role_members', key: 'role_id' },
} as const

/** A group or a custom role. */
export type MemberSet = { kind: keyof typeof sets; id: string; workspace_id: string; name: string }

/** The members of a set, always in the same order; an invited person shows their address alone. */
export async function listSetMembers<Member extends { added_at?: string | undefined }>(
  em: EntityManager,
  { kind, id }: Pick<MemberSet, 'kind' | 'id'>,
): Promise<Member[]> {
  const { table, key } = sets[kind]
  type Row = Omit<Member, 'added_at'> & { added_at: Timestamp }
  const rows = await em.execute<Row[]>(
    `select s.user_id, s.${key}, u.email, s.added_at,
       case when m.joined_at is null then '' else u.name end as name,
       case when m.joined_at is null then '' else u.avatar_url end as avatar_url
     from ${table} s
     join members m on m.user_id = s.user_id and m.workspace_id = s.workspace_id
     join users u on u.id = s.user_id
     where s.${key} = ? order by s.user_id`,
    [id],
  )
  return rows.map((row) => ({ ...row, added_at: isoTime(row.added_at) }) as unknown as Member)
}

/** Adds a member of the set's workspace; again changes nothing. `em` is in a transaction. */
export async function addSetMember(
  { em, principal }: WriteContext,
  { kind, id, workspace_id, name }: MemberSet,
  userId: string,
): Promise<Acknowledgement> {
  const { table, key } = sets[kind]
  const [added] = await em
    .execute<{ user_id: string }[]>(
      `insert into ${table} (${key}, user_id, workspace_id) values (?, ?, ?)
       on conflict do nothing returning user_id`,
      [id, userId, workspace_id],
    )
    .catch((error) => {
      // The foreign key is the rule: only members of the workspace can be in its sets.
      throw violates(error, 'foreign') ? memberMissing() : error
    })
  if (added) {
    const entry = { action: `${kind}.member_added`, detail: { name, ...added } } as const
    await recordActivity(em, actorOf(principal), {
      ...entry,
      targetId: id,
      workspaceId: workspace_id,
    })
  }
  return { status: 'ok' }
}

/** Takes a member out of a set. `em` is in a transaction. */
export async function removeSetMember(
  { em, principal }: WriteContext,
  { kind, id, workspace_id, name }: MemberSet,
  userId: string,
): Promise<DeleteResponse> {
  const { table, key } = sets[kind]
  const [removed] = await em.execute<{ user_id: string }[]>(
    `delete from ${table} where ${key} = ? and user_id = ? returning user_id`,
    [id, userId],
  )
  if (!removed) throw memberMissing()
  const entry = { action: `${kind}.member_removed`, detail: { name, ...removed } } as const
  await recordActivity(em, actorOf(principal), {
    ...entry,
    targetId: id,
    workspaceId: workspace_id,
  })
  return {}
}

function memberMissing(): ServiceError {
  return new ServiceError('not_found', 'MEMBER_NOT_FOUND', 'Member not found')
}
