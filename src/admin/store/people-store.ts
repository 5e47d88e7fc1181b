import type { EntityManager } from '@mikro-orm/postgresql'
import { changedFields } from '../../core/changed-fields.ts'
import type { Role } from '../../core/roles.ts'
import { User } from '../../database/entities/people.ts'
import { createFilters } from '../../database/filters.ts'
import { findPage, type Page, type PageRequest } from '../../database/page.ts'
import { query } from '../../database/query.ts'
import { addSearch } from '../../database/search.ts'
import type { Timestamp } from '../../database/sql-values.ts'

/** A user in the lists of administrators. */
export type Person = {
  id: string
  email: string
  externalId: string | null
  name: string
  avatarUrl: string
  isActive: boolean
  isAdmin: boolean
  createdAt: Timestamp
  lastSignInAt: Timestamp | null
}

/** Selects users; `q` matches names and e-mail addresses. */
export type PersonFilter = {
  q?: string | undefined
  isActive?: boolean | undefined
  isAdmin?: boolean | undefined
  hasSignedIn?: boolean | undefined
}

/** An account of a user at an identity provider. */
export type PersonAccount = {
  provider: string
  subject: string
  email: string
  linkedAt: Timestamp
}

/**
 * A membership of a user. `joinedAt` is null until an invited user joins, and `expiresAt` unless the
 * membership ends.
 */
export type PersonMembership = {
  workspaceId: string
  workspaceName: string
  workspaceSlug: string
  role: Role
  isGuest: boolean
  joinedAt: Timestamp | null
  expiresAt: Timestamp | null
  /** The answer of the mail server that has refused the e-mail of a pending invitation. */
  emailRefusal: string | null
}

/** The fields of a locked user that administrators and operators can change. */
export type LockedPerson = {
  id: string
  email: string
  externalId: string | null
  name: string
  isActive: boolean
  isAdmin: boolean
  adminRevoked: boolean
  hasSignedIn: boolean
}

/** The people as administrators and operators see and change them. */
export class PeopleStore {
  readonly #em: EntityManager

  constructor(em: EntityManager) {
    this.#em = em
  }

  /** Returns a page of users, by e-mail address. */
  listPage(page: PageRequest, filter: PersonFilter): Promise<Page<Person>> {
    const { q, isActive, isAdmin, hasSignedIn } = filter
    const filters = createFilters()
    filters.add(true, (placeholder) => `(u.workspace_id is null) = ${placeholder}`)
    addSearch(filters, q, 'u.email', 'u.name')
    filters.add(isActive, (placeholder) => `u.is_active = ${placeholder}`)
    filters.add(isAdmin, (placeholder) => `u.is_admin = ${placeholder}`)
    filters.add(hasSignedIn, (placeholder) => `(u.last_sign_in_at is not null) = ${placeholder}`)
    return findPage(this.#em, page, {
      select: personColumns,
      from: `users u ${filters.where()}`,
      orderBy: 'u.email',
      values: filters.values,
    })
  }

  async find(id: string): Promise<Person | undefined> {
    const [person] = await query<Person>(this.#em, findSql, [id])
    return person
  }

  /** Returns the linked accounts of a user, by provider and subject. */
  listAccounts(userId: string): Promise<PersonAccount[]> {
    return query(this.#em, accountsSql, [userId])
  }

  /** Returns the memberships of a user, by the names of the workspaces. */
  listMemberships(userId: string): Promise<PersonMembership[]> {
    return query(this.#em, membershipsSql, [userId])
  }

  /** Locks users until the end of the transaction and returns them. */
  lock(ids: string[]): Promise<LockedPerson[]> {
    return query(this.#em, lockSql, [ids])
  }

  /**
   * Locks a user, by e-mail address or ID, and every active administrator until the end of the
   * transaction.
   */
  lockWithAdministrators(user: { email: string } | { id: string }): Promise<LockedPerson[]> {
    const values = 'id' in user ? [undefined, user.id] : [user.email, undefined]
    return query(this.#em, lockWithAdministratorsSql, values)
  }

  /** Changes the name, `externalId` or status of a user. Absent fields remain unchanged. */
  async update(
    id: string,
    changes: Partial<Pick<LockedPerson, 'name' | 'isActive' | 'externalId'>>,
  ): Promise<void> {
    const { name, isActive, externalId } = changes
    const fields = changedFields({ name, is_active: isActive, external_id: externalId })
    if (fields) await this.#em.nativeUpdate(User, { id }, fields)
  }

  /**
   * Changes the address of a user, and forgets which invitations could not be delivered. `unlinks` also
   * unlinks the accounts. Returns false if a directory or connection keeps the address.
   */
  async changeAddress(id: string, email: string, unlinks: boolean): Promise<boolean> {
    return (await query(this.#em, changeAddressSql, [id, email, unlinks])).length > 0
  }

  /**
   * Makes a user an administrator, or revokes these rights so that ADMIN_EMAILS does not restore
   * them.
   */
  async setAdministrator(id: string, isAdmin: boolean): Promise<void> {
    await this.#em.nativeUpdate(User, { id }, { is_admin: isAdmin, admin_revoked: !isAdmin })
  }
}

const personColumns = `u.id, u.email, u.external_id as "externalId", u.name,
  u.avatar_url as "avatarUrl", u.is_active as "isActive", u.is_admin as "isAdmin",
  u.created_at as "createdAt", u.last_sign_in_at as "lastSignInAt"`

/** $1 ID. */
const findSql = `select ${personColumns} from users u where u.id = $1 and u.workspace_id is null`

/** $1 ID of the user. */
const accountsSql = `
  select provider, subject, email, created_at as "linkedAt" from linked_accounts
  where user_id = $1 and provider <> 'passkey' order by provider, subject`

/** $1 ID of the user. */
const membershipsSql = `
  select m.workspace_id as "workspaceId", w.name as "workspaceName", w.slug as "workspaceSlug",
    m.role, m.is_guest as "isGuest", m.joined_at as "joinedAt", m.expires_at as "expiresAt",
    case when m.joined_at is null then r.status end as "emailRefusal"
  from live_members m join workspaces w on w.id = m.workspace_id
  left join refused_invitations r on r.user_id = m.user_id and r.workspace_id = m.workspace_id
  where m.user_id = $1 order by w.name, w.id`

const selectLockedSql = `
  select id, email, external_id as "externalId", name, is_active as "isActive",
    is_admin as "isAdmin", admin_revoked as "adminRevoked",
    (last_sign_in_at is not null
      or exists (select from linked_accounts where user_id = users.id)) as "hasSignedIn"
  from users`

/** $1 IDs. */
const lockSql = `
  ${selectLockedSql} where id = any($1::uuid[]) and workspace_id is null
  order by id for no key update`

/** $1 e-mail address, $2 ID. */
const lockWithAdministratorsSql = `
  ${selectLockedSql} where workspace_id is null
    and (email = $1 or id = $2::uuid or is_admin and is_active)
  order by id for no key update`

/** $1 user ID, $2 e-mail address, $3 whether to unlink accounts. */
const changeAddressSql = `
  with changed as (
    update users u set email = $2
    where u.id = $1
      and not exists (select from scim_users where user_id = $1 and deleted_at is null)
      and not exists (select from connection_subjects where user_id = $1)
    returning u.id
  ), unlinked as (
    delete from linked_accounts a using changed c where a.user_id = c.id and $3
  ), forgotten as (
    delete from refused_invitations r using changed c where r.user_id = c.id
  )
  select id from changed`
