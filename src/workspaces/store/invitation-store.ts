import type { EntityManager } from '@mikro-orm/postgresql'
import type { Role } from '../../core/roles.ts'
import { query } from '../../database/query.ts'
import { hashSecret } from '../../identity/secret.ts'
import type { MemberId } from './member-store.ts'

/** A pending membership, with the names that its page and its e-mail display. */
export type PendingInvitation = MemberId & {
  email: string
  role: Role
  workspaceName: string
  /** Null if an administrator or operator invited the user, or the inviter no longer exists. */
  inviter: { name: string; email: string } | null
  /** When the membership was created, in seconds since the Unix epoch. */
  createdAt: string
}

/** The invitation of a link, and whether the invited person has joined. */
export type LinkedInvitation = PendingInvitation & { hasJoined: boolean }

/** An e-mail to send, and which attempt this is. */
export type ClaimedMail = PendingInvitation & { attempt: number }

/** A link to a pending invitation. The database stores only the hash of its token. */
export type NewInvitationLink = MemberId & { token: string; createdAt: Date; expiresAt: Date }

/** Seconds after which an e-mail may be sent again although its node has not finished sending it. */
const leaseSeconds = 120

/** The pause in seconds after the first attempt that failed; it then doubles. */
const firstPause = 30
const maxPause = 3600

/** The maximum number of e-mails of one workspace that are claimed together. */
const maxMailsOfWorkspace = 5

/** Seconds between two e-mails to a person about one workspace. */
const secondsBetweenMails = 60

/** The maximum number of invitations that a person receives by e-mail within a day. */
const maxMailsPerDay = 20

/** The links of pending invitations, and the invitations that wait to be sent by e-mail. */
export class InvitationStore {
  readonly #em: EntityManager

  constructor(em: EntityManager) {
    this.#em = em
  }

  async addLink({ token, userId, workspaceId, ...times }: NewInvitationLink): Promise<void> {
    const values = [hashSecret(token), userId, workspaceId, times.createdAt, times.expiresAt]
    await query(this.#em, addLinkSql, values)
  }

  /** Ends all links of an invitation, and forgets that its e-mail was refused. */
  async endLinks({ userId, workspaceId }: MemberId, now: Date): Promise<void> {
    await query(this.#em, endLinksSql, [userId, workspaceId, now])
  }

  /**
   * Returns the invitation that a token leads to, while it is pending, and afterwards if the person has
   * joined. Links are kept for a week after they have ended.
   */
  async findByToken(token: string, now: Date): Promise<LinkedInvitation | undefined> {
    const sql = `select ${columns}, m.joined_at is not null as "hasJoined" from ${tables}
      join invitation_links l on l.user_id = m.user_id and l.workspace_id = m.workspace_id
      where l.token_hash = $1 and (l.expires_at > $2 or m.joined_at is not null)`
    const [invitation] = await query<LinkedInvitation>(this.#em, sql, [hashSecret(token), now])
    return invitation
  }

  /** Queues the e-mail of an invitation, or queues it again. */
  async queueMail({ userId, workspaceId }: MemberId, now: Date, expiresAt: Date): Promise<void> {
    await query(this.#em, queueMailSql, [userId, workspaceId, now, expiresAt])
  }

  /**
   * Claims up to `limit` e-mails that are due, for two minutes, and schedules their next attempt.
   * E-mails to a person who has received one within a minute, or too many within a day, wait. Workspaces
   * take turns.
   */
  claimMails(now: Date, limit: number): Promise<ClaimedMail[]> {
    return query(this.#em, claimMailsSql, [now, limit])
  }

  /** Removes a sent e-mail, unless it has been queued again since it was claimed. */
  async removeMail({ userId, workspaceId, attempt }: ClaimedMail): Promise<void> {
    await query(this.#em, removeMailSql, [userId, workspaceId, attempt])
  }

  /**
   * Removes an e-mail that the mail server refuses permanently, unless it has been queued again since it was
   * claimed, and keeps the status of the refusal.
   */
  async refuseMail(
    { userId, workspaceId, attempt }: ClaimedMail,
    status: string,
    now: Date,
  ): Promise<void> {
    await query(this.#em, refuseMailSql, [userId, workspaceId, attempt, status, now])
  }

  /** Schedules the next attempt to send an e-mail. */
  async retryMail({ userId, workspaceId, attempt }: ClaimedMail, now: Date): Promise<void> {
    await query(this.#em, retryMailSql, [userId, workspaceId, attempt, now])
  }
}

const columns = `m.user_id as "userId", m.workspace_id as "workspaceId", u.email, m.role,
  w.name as "workspaceName",
  case when i.id is not null then json_build_object('name', i.name, 'email', i.email) end
    as inviter,
  extract(epoch from m.created_at)::text as "createdAt"`

const tables = `live_members m join users u on u.id = m.user_id
  join workspaces w on w.id = m.workspace_id left join users i on i.id = m.invited_by`

/** $1 hash of the token, $2 user ID, $3 workspace ID, $4 time of creation, $5 expiry. */
const addLinkSql = `
  insert into invitation_links (token_hash, user_id, workspace_id, created_at, expires_at)
  values ($1, $2, $3, $4, $5)`

/** $1 user ID, $2 workspace ID, $3 current time. */
const endLinksSql = `
  with forgotten as (
    delete from refused_invitations where user_id = $1 and workspace_id = $2
  )
  update invitation_links set expires_at = $3
  where user_id = $1 and workspace_id = $2 and expires_at > $3`

/** $1 user ID, $2 workspace ID, $3 current time, $4 when to give up. */
const queueMailSql = `
  insert into invitation_mails (user_id, workspace_id, next_attempt_at, expires_at)
  values ($1, $2, $3, $4)
  on conflict (user_id, workspace_id) do update
  set attempts = 0, next_attempt_at = excluded.next_attempt_at, expires_at = excluded.expires_at`

/**
 * $1 current time, $2 limit. Takes the first e-mail of each workspace before the second of any, so
 * that a workspace that invites many people delays no other one.
 */
const claimMailsSql = `
  with recursive waiting (workspace_id) as (
    (select workspace_id from invitation_mails order by workspace_id limit 1)
    union all
    select (select q.workspace_id from invitation_mails q where q.workspace_id > w.workspace_id
      order by q.workspace_id limit 1)
    from waiting w where w.workspace_id is not null
  ), due as (
    select first.user_id, first.workspace_id from waiting w cross join lateral (
      select q.user_id, q.workspace_id, q.next_attempt_at from invitation_mails q
      where q.workspace_id = w.workspace_id and q.next_attempt_at <= $1 and q.expires_at > $1
        and not exists (select from invitation_links l
          where l.user_id = q.user_id and l.workspace_id = q.workspace_id
            and l.created_at > $1::timestamptz - interval '${secondsBetweenMails} seconds')
        and (select count(*) from invitation_links l where l.user_id = q.user_id
          and l.created_at > $1::timestamptz - interval '1 day') < ${maxMailsPerDay}
      order by q.next_attempt_at limit ${maxMailsOfWorkspace} for update skip locked
    ) first
    order by row_number() over (partition by first.workspace_id order by first.next_attempt_at),
      first.next_attempt_at
    limit $2
  ), claimed as (
    update invitation_mails q
    set attempts = q.attempts + 1,
      next_attempt_at = $1::timestamptz + interval '${leaseSeconds} seconds'
    from due where q.user_id = due.user_id and q.workspace_id = due.workspace_id
    returning q.user_id, q.workspace_id, q.attempts
  )
  select ${columns}, c.attempts as attempt from ${tables}
  join claimed c on c.user_id = m.user_id and c.workspace_id = m.workspace_id
  where m.joined_at is null`

/** $1 user ID, $2 workspace ID, $3 attempt. */
const removeMailSql = `
  delete from invitation_mails where user_id = $1 and workspace_id = $2 and attempts = $3`

/** $1 user ID, $2 workspace ID, $3 attempt, $4 status, $5 current time. */
const refuseMailSql = `
  with removed as (
    delete from invitation_mails where user_id = $1 and workspace_id = $2 and attempts = $3
    returning user_id, workspace_id
  )
  insert into refused_invitations (user_id, workspace_id, status, refused_at)
  select user_id, workspace_id, $4, $5::timestamptz from removed
  on conflict (user_id, workspace_id) do update
  set status = excluded.status, refused_at = excluded.refused_at`

/** $1 user ID, $2 workspace ID, $3 attempt, $4 current time. */
const retryMailSql = `
  update invitation_mails
  set next_attempt_at = $4::timestamptz
    + make_interval(secs => least(${firstPause} * power(2, least($3 - 1, 16)), ${maxPause}))
  where user_id = $1 and workspace_id = $2 and attempts = $3`
