import type { EntityManager } from '@mikro-orm/postgresql'
import type { PresentedToken } from '../../core/request-context.ts'
import { query } from '../../database/query.ts'

/** An admin token that has been issued. */
export type AdminToken = { id: string; userId: string; expiresAt: Date }

/** A token that a client has obtained with its own credentials. */
export type ClientToken = {
  id: string
  clientId: string
  /** The service account that the token acts as, if any. */
  userId?: string
  expiresAt: Date
}

/** The denylist of tokens, and the tokens that can be added to it later. */
export class RevocationStore {
  readonly #em: EntityManager

  constructor(em: EntityManager) {
    this.#em = em
  }

  /** Adds a token to the denylist until it expires. */
  async deny({ id, expiresAt }: PresentedToken): Promise<void> {
    await query(this.#em, denySql, [id, expiresAt])
  }

  async isDenied(id: string): Promise<boolean> {
    return (await query(this.#em, findDeniedSql, [id])).length > 0
  }

  /** Records an admin token, so that it can be revoked later. */
  async recordAdminToken({ id, userId, expiresAt }: AdminToken): Promise<void> {
    await query(this.#em, insertAdminTokenSql, [id, userId, expiresAt])
  }

  /** Records a token of a client, so that it can be revoked later. */
  async recordClientToken({ id, clientId, userId, expiresAt }: ClientToken): Promise<void> {
    await query(this.#em, insertClientTokenSql, [id, clientId, userId, expiresAt])
  }

  /** Adds all tokens that a client obtained with its own credentials to the denylist. */
  async denyClientTokens(clientId: string): Promise<void> {
    await query(this.#em, denyClientTokensSql, [clientId])
  }

  /** Adds all tokens that clients obtained for a service account to the denylist. */
  async denyAccountTokens(userId: string): Promise<void> {
    await query(this.#em, denyAccountTokensSql, [userId])
  }

  /** Adds all admin tokens of a user to the denylist. */
  async denyAdminTokens(userId: string): Promise<void> {
    await query(this.#em, denyAdminTokensSql, [userId])
  }
}

/** $1 token ID, $2 expiry. */
const denySql =
  'insert into denied_tokens (token_id, expires_at) values ($1, $2) on conflict do nothing'

/** $1 token ID. */
const findDeniedSql = 'select from denied_tokens where token_id = $1'

/** $1 token ID, $2 user ID, $3 expiry. */
const insertAdminTokenSql =
  'insert into admin_tokens (token_id, user_id, expires_at) values ($1, $2, $3)'

/** $1 user ID. */
const denyAdminTokensSql = denyIssued('admin_tokens', 'user_id = $1')

/** $1 token ID, $2 client ID, $3 user ID, $4 expiry. */
const insertClientTokenSql =
  'insert into client_tokens (token_id, client_id, user_id, expires_at) values ($1, $2, $3, $4)'

/** $1 client ID. */
const denyClientTokensSql = denyIssued('client_tokens', 'client_id = $1')

/** $1 user ID. */
const denyAccountTokensSql = denyIssued('client_tokens', 'user_id = $1')

/** Moves the tokens of a table that match a condition to the denylist. */
function denyIssued(table: string, condition: string): string {
  return `
  with denied as (delete from ${table} where ${condition} returning token_id, expires_at)
  insert into denied_tokens (token_id, expires_at) select token_id, expires_at from denied
  on conflict do nothing`
}
