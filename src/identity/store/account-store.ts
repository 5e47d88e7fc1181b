import type { EntityManager } from '@mikro-orm/postgresql'
import type { ReadRows } from '../../core/deployment-checks.ts'
import { LinkedAccount as LinkedAccountEntity } from '../../database/entities/people.ts'
import { query } from '../../database/query.ts'
import type { Timestamp } from '../../database/sql-values.ts'

/** An account at an identity provider that is linked to a user. */
export type LinkedAccount = {
  id: string
  provider: string
  subject: string
  email: string
  /** The method of the session that added the account; null if its provider verified the user's address. */
  addedBy: string | null
  createdAt: Timestamp
}

/** An account to link. `hostedDomain` is empty unless it is a Google Workspace account. */
export type NewAccount = {
  provider: string
  subject: string
  userId: string
  email: string
  hostedDomain: string
  /** The method of the session that adds the account, unless its provider verified the user's address. */
  addedBy?: string
}

/** The accounts at identity providers that are linked to users. */
export class AccountStore {
  readonly #em: EntityManager

  constructor(em: EntityManager) {
    this.#em = em
  }

  /** Returns the id of the user to whom an account is linked. */
  async findUserId({
    provider,
    subject,
  }: {
    provider: string
    subject: string
  }): Promise<string | undefined> {
    const [account] = await query<{ userId: string }>(this.#em, findUserSql, [provider, subject])
    return account?.userId
  }

  /** Returns the linked accounts of a user, oldest first. */
  list(userId: string): Promise<LinkedAccount[]> {
    return query(this.#em, listSql, [userId])
  }

  /** Links an account to a user and returns its ID, or undefined if the account is already linked. */
  async link(account: NewAccount): Promise<string | undefined> {
    const { provider, subject, userId, email, hostedDomain, addedBy } = account
    const values = [provider, subject, userId, email, hostedDomain, addedBy]
    const [linked] = await query<{ id: string }>(this.#em, insertSql, values)
    return linked?.id
  }

  /** Unlinks the address of codes that a user has no longer. Returns it if there was one. */
  async unlinkFormerAddress(userId: string): Promise<string | undefined> {
    const [former] = await query<{ subject: string }>(this.#em, unlinkFormerSql, [userId])
    return former?.subject
  }

  async unlink(id: string): Promise<void> {
    await this.#em.nativeDelete(LinkedAccountEntity, { id })
  }
}

/** Returns the issuers of the accounts of provider `oidc`, with their numbers of accounts. */
export function countIssuers(readRows: ReadRows): Promise<{ issuer: string; accounts: number }[]> {
  return readRows(countIssuersSql)
}

const countIssuersSql = `
  select split_part(subject, '#', 1) as issuer, count(*)::int as accounts from linked_accounts
  where provider = 'oidc' group by 1 order by 1`

/** $1 provider, $2 subject. */
const findUserSql = `
  select user_id as "userId" from linked_accounts where provider = $1 and subject = $2`

/** $1 user ID. */
const listSql = `
  select id, provider, subject, email, added_by as "addedBy", created_at as "createdAt"
  from linked_accounts
  where user_id = $1 order by created_at, id`

/** $1 user ID. */
const unlinkFormerSql = `
  delete from linked_accounts a using users u
  where a.user_id = $1 and a.provider = 'email' and u.id = $1 and a.subject <> u.email
  returning a.subject`

/** $1 provider, $2 subject, $3 user ID, $4 e-mail address, $5 hosted domain, $6 method of the session. */
const insertSql = `
  insert into linked_accounts (provider, subject, user_id, email, hosted_domain, added_by)
  values ($1, $2, $3, $4, $5, $6) on conflict (provider, subject) do nothing returning id`
