import { randomUUID } from 'node:crypto'
import type { InferEntity } from '@mikro-orm/core'
import type { EntityManager } from '@mikro-orm/postgresql'
import { changedFields } from '../../core/changed-fields.ts'
import { User } from '../../database/entities/people.ts'
import { query } from '../../database/query.ts'

/** A user, without memberships and linked accounts. */
export type UserProfile = {
  id: string
  email: string
  name: string
  /** The parts of the name, as the identity provider last sent them; can be empty. */
  givenName: string
  familyName: string
  avatarUrl: string
  isActive: boolean
  isAdmin: boolean
  /** Whether the user signs in by codes sent to their address. */
  emailSignIn: boolean
  createdAt: Date
}

/** A user who has signed in. `wasAdmin` is the value of `isAdmin` before the sign-in. */
export type SignedInUser = {
  id: string
  email: string
  name: string
  isAdmin: boolean
  wasAdmin: boolean
  /** Whether the user had signed in before. */
  hasSignedIn: boolean
}

/** The users. */
export class UserStore {
  readonly #em: EntityManager

  constructor(em: EntityManager) {
    this.#em = em
  }

  /** Returns the profile of a user, who must exist, or of a service account. */
  async requireProfile(id: string): Promise<UserProfile> {
    const user = await this.#em.findOne(User, { id })
    if (!user) throw new Error(`the user ${id} does not exist`)
    return toProfile(user)
  }

  /** Finds a person. */
  async find(id: string): Promise<UserProfile | undefined> {
    const user = await this.#em.findOne(User, { id, workspace_id: null })
    return user ? toProfile(user) : undefined
  }

  async findByEmail(email: string): Promise<UserProfile | undefined> {
    const user = await this.#em.findOne(User, { email })
    return user ? toProfile(user) : undefined
  }

  /** Changes the name and picture of a user. Absent fields remain unchanged. */
  async updateProfile(
    id: string,
    { name, avatarUrl }: { name?: string | undefined; avatarUrl?: string | undefined },
  ): Promise<void> {
    const changes = changedFields({ name, avatar_url: avatarUrl })
    if (changes) await this.#em.nativeUpdate(User, { id }, changes)
  }

  async setEmailSignIn(id: string, isOn: boolean): Promise<void> {
    await this.#em.nativeUpdate(User, { id }, { email_sign_in: isOn })
  }

  /**
   * Returns the id of the user with this address, and creates the user if there is none. Safe to
   * call concurrently. `email` must be normalized (`normalizeEmail`).
   */
  async ensure(email: string): Promise<string> {
    // A random id, unlike a time-ordered one, does not reveal whether the user existed before.
    await query(this.#em, insertSql, [randomUUID(), email])
    return (await this.#em.findOneOrFail(User, { email })).id
  }

  /** Returns whether a user exists and is active. */
  async isActive(id: string): Promise<boolean> {
    const [user] = await query<{ isActive: boolean }>(this.#em, isActiveSql, [id])
    return user?.isActive === true
  }

  /**
   * Locks a user until the end of the transaction, which excludes concurrent sign-ins, sign-outs
   * and changes of the user's status. Returns whether the user exists and is active.
   */
  async lock(id: string): Promise<{ isActive: boolean }> {
    const [user] = await query<{ isActive: boolean }>(this.#em, lockSql, [id])
    return { isActive: user?.isActive === true }
  }

  /**
   * Updates a user who signs in. Returns undefined if the user is inactive.
   *
   * - The provider's name and picture are stored only if the user has none, the parts of the name
   *   whenever the provider sends them.
   * - A verified address in ADMIN_EMAILS (`adminEmail`) makes the user an administrator, unless an
   *   operator has revoked that right or the address belongs to another user.
   */
  async updateSignedIn(user: {
    id: string
    adminEmail: string | undefined
    name: string
    givenName: string
    familyName: string
    avatarUrl: string
  }): Promise<SignedInUser | undefined> {
    const { id, adminEmail, name, avatarUrl, givenName, familyName } = user
    const values = [id, adminEmail, name, avatarUrl, givenName, familyName]
    const [updated] = await query<SignedInUser>(this.#em, updateSignedInSql, values)
    return updated
  }

  /**
   * Changes the address of a user, and of their only linked account beside passkeys. Returns false if the
   * user has no or several accounts, if the account has had the address before, which an administrator has then
   * corrected, if somebody has it, or if a directory or connection knows the user.
   */
  async followAddress(id: string, email: string): Promise<boolean> {
    return (await query(this.#em, followAddressSql, [id, email])).length > 0
  }

  async recordSignIn(id: string, now: Date): Promise<void> {
    await this.#em.nativeUpdate(User, { id }, { last_sign_in_at: now })
  }
}

/** $1 user ID, $2 e-mail address. */
const insertSql = 'insert into users (id, email) values ($1, $2) on conflict (email) do nothing'

/** $1 user ID. */
const isActiveSql = 'select is_active as "isActive" from users where id = $1'
const lockSql = `${isActiveSql} for no key update`

/**
 * $1 user ID, $2 address in ADMIN_EMAILS or null, $3 name, $4 URL of the picture, $5 given and $6
 * family name.
 */
const updateSignedInSql = `
  update users set
    is_admin = is_admin or ($2::text is not null and not admin_revoked
      and not exists (select from users other where other.email = $2 and other.id <> $1)),
    name = case when name = '' then $3 else name end,
    avatar_url = case when avatar_url = '' then $4 else avatar_url end,
    given_name = case when $5 || $6 = '' then given_name else $5 end,
    family_name = case when $5 || $6 = '' then family_name else $6 end
  from (select is_admin as was_admin from users where id = $1 for no key update) before
  where id = $1 and is_active
  returning id, email, name, is_admin as "isAdmin", was_admin as "wasAdmin",
    last_sign_in_at is not null as "hasSignedIn"`

/** $1 user ID, $2 e-mail address. */
const followAddressSql = `
  with changed as (
    update users u set email = $2
    where u.id = $1 and not exists (select from users o where o.email = $2)
      and (select count(*) from linked_accounts where user_id = $1 and provider <> 'passkey') = 1
      and not exists (select from linked_accounts where user_id = $1 and email = $2)
      and not exists (select from scim_users where user_id = $1 and deleted_at is null)
      and not exists (select from connection_subjects where user_id = $1)
    returning u.id
  ), linked as (
    update linked_accounts a set email = $2 from changed c
    where a.user_id = c.id and a.provider <> 'passkey'
  )
  select id from changed`

function toProfile(user: InferEntity<typeof User>): UserProfile {
  return {
    id: user.id,
    email: user.email ?? '',
    name: user.name,
    givenName: user.given_name,
    familyName: user.family_name,
    avatarUrl: user.avatar_url,
    isActive: user.is_active,
    isAdmin: user.is_admin,
    emailSignIn: user.email_sign_in,
    createdAt: user.created_at,
  }
}
