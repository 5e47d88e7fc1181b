import type { EntityManager } from '@mikro-orm/postgresql'
import { query } from '../../database/query.ts'

/** The person that a connection means by a subject: a member of its workspace. */
export type ConnectionSubject = {
  connectionId: string
  subject: string
  userId: string
  workspaceId: string
  email: string
}

/** The members who have signed in by connections. */
export class ConnectionSubjectStore {
  readonly #em: EntityManager

  constructor(em: EntityManager) {
    this.#em = em
  }

  async find(connectionId: string, subject: string): Promise<ConnectionSubject | undefined> {
    const sql = `${selectSql} where connection_id = $1 and subject = $2`
    const [found] = await query<ConnectionSubject>(this.#em, sql, [connectionId, subject])
    return found
  }

  /** Returns the subject of a connection that belongs to a user. */
  async findOfUser(connectionId: string, userId: string): Promise<ConnectionSubject | undefined> {
    const sql = `${selectSql} where connection_id = $1 and user_id = $2`
    const [found] = await query<ConnectionSubject>(this.#em, sql, [connectionId, userId])
    return found
  }

  /** Returns false if the subject or the user has another link to the connection. */
  async link(link: ConnectionSubject, now: Date): Promise<boolean> {
    const { connectionId, subject, userId, workspaceId, email } = link
    const values = [connectionId, subject, userId, workspaceId, email, now]
    return (await query(this.#em, insertSql, values)).length > 0
  }

  async recordSignIn(connectionId: string, subject: string, now: Date): Promise<void> {
    const sql = `update connection_subjects set last_sign_in_at = $3
      where connection_id = $1 and subject = $2`
    await query(this.#em, sql, [connectionId, subject, now])
  }

  /** Forgets everybody who has signed in through a connection. */
  async removeAll(connectionId: string): Promise<void> {
    const sql = 'delete from connection_subjects where connection_id = $1'
    await query(this.#em, sql, [connectionId])
  }
}

const selectSql = `
  select connection_id as "connectionId", subject, user_id as "userId",
    workspace_id as "workspaceId", email
  from connection_subjects`

/** $1 connection, $2 subject, $3 user, $4 workspace, $5 e-mail address, $6 time. */
const insertSql = `
  insert into connection_subjects
    (connection_id, subject, user_id, workspace_id, email, created_at, last_sign_in_at)
  values ($1, $2, $3, $4, $5, $6, $6) on conflict do nothing returning subject`
