import type { EntityManager } from '@mikro-orm/postgresql'
import type { ReadRows } from '../../core/deployment-checks.ts'
import { query } from '../../database/query.ts'
import type { Timestamp } from '../../database/sql-values.ts'

/** A passkey of a user. Its ID is the one of its linked account. */
export type Passkey = {
  id: string
  userId: string
  credentialId: string
  rpId: string
  name: string
  isBackedUp: boolean
  transports: string[]
  createdAt: Timestamp
  lastUsedAt: Timestamp | null
}

/** A passkey with what verifies a sign-in by it. */
export type PasskeyKey = {
  id: string
  userId: string
  handle: string
  publicKey: string
  counter: number
  isBackupEligible: boolean
}

/** A passkey to add to a linked account. */
export type NewPasskey = {
  accountId: string
  rpId: string
  publicKey: string
  counter: number
  isBackupEligible: boolean
  isBackedUp: boolean
  transports: string[]
  name: string
}

/** The passkeys of users. */
export class PasskeyStore {
  readonly #em: EntityManager

  constructor(em: EntityManager) {
    this.#em = em
  }

  /** Returns the passkeys of a user, oldest first. */
  list(userId: string): Promise<Passkey[]> {
    return query(this.#em, listSql, [userId])
  }

  /** Returns the handle of a user, and creates it at first. */
  async ensureHandle(userId: string, newHandle: string): Promise<string> {
    const [created] = await query<{ handle: string }>(this.#em, ensureHandleSql, [
      userId,
      newHandle,
    ])
    if (!created) throw new Error(`the user ${userId} has no handle`)
    return created.handle
  }

  async add(passkey: NewPasskey): Promise<void> {
    const { accountId, rpId, publicKey, counter, isBackupEligible, isBackedUp, transports, name } =
      passkey
    await query(this.#em, insertSql, [
      accountId,
      rpId,
      publicKey,
      counter,
      isBackupEligible,
      isBackedUp,
      transports,
      name,
    ])
  }

  /** Finds a passkey by its credential, and locks it until the end of the transaction. */
  async lockByCredential(credentialId: string): Promise<PasskeyKey | undefined> {
    const [passkey] = await query<PasskeyKey>(this.#em, lockByCredentialSql, [credentialId])
    return passkey
  }

  async recordUse(
    id: string,
    { counter, isBackedUp }: { counter: number; isBackedUp: boolean },
    now: Date,
  ): Promise<void> {
    await query(this.#em, recordUseSql, [id, counter, isBackedUp, now])
  }

  /** Renames a passkey of a user. Returns false if the user does not have it. */
  async rename(id: string, userId: string, name: string): Promise<boolean> {
    return (await query(this.#em, renameSql, [id, userId, name])).length > 0
  }
}

/** Returns how many passkeys were made for each RP ID. */
export function countByRelyingParty(
  readRows: ReadRows,
): Promise<{ rpId: string; passkeys: number }[]> {
  return readRows(countSql)
}

const countSql =
  'select rp_id as "rpId", count(*)::int as passkeys from passkeys group by rp_id order by rp_id'

/** $1 user ID. */
const listSql = `
  select a.id, a.user_id as "userId", a.subject as "credentialId", p.rp_id as "rpId", p.name,
    p.is_backed_up as "isBackedUp", p.transports, a.created_at as "createdAt",
    p.last_used_at as "lastUsedAt"
  from linked_accounts a join passkeys p on p.account_id = a.id
  where a.user_id = $1 order by a.created_at, a.id`

/** $1 user ID, $2 handle. The update returns the handle that exists. */
const ensureHandleSql = `
  insert into passkey_handles (user_id, handle) values ($1, $2)
  on conflict (user_id) do update set handle = passkey_handles.handle returning handle`

/** The values of a NewPasskey, in the order of its fields. */
const insertSql = `
  insert into passkeys (account_id, rp_id, public_key, counter, is_backup_eligible, is_backed_up,
    transports, name)
  values ($1, $2, $3, $4, $5, $6, $7, $8)`

/** $1 ID of the credential. */
const lockByCredentialSql = `
  select a.id, a.user_id as "userId", h.handle, p.public_key as "publicKey",
    p.counter::float8 as counter, p.is_backup_eligible as "isBackupEligible"
  from linked_accounts a join passkeys p on p.account_id = a.id
  join passkey_handles h on h.user_id = a.user_id
  where a.provider = 'passkey' and a.subject = $1
  for no key update of p`

/** $1 ID, $2 counter, $3 whether there is a backup, $4 current time. */
const recordUseSql = `
  update passkeys set counter = $2, is_backed_up = $3, last_used_at = $4 where account_id = $1`

/** $1 ID, $2 user ID, $3 name. */
const renameSql = `
  update passkeys p set name = $3 from linked_accounts a
  where p.account_id = $1 and a.id = p.account_id and a.user_id = $2 returning p.account_id as id`
