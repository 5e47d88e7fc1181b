import type { ConnectionDomainStore } from '../connections/store/connection-domain-store.ts'
import type { ConnectionStore, StoredConnection } from '../connections/store/connection-store.ts'
import { domainOf } from '../core/email.ts'
import type { UserStore } from '../identity/store/user-store.ts'
import type { MemberId } from '../workspaces/store/member-store.ts'
import { invalidValue } from './scim-errors.ts'
import type { ScimUserStore } from './store/scim-user-store.ts'

export type AddressStores = { scimUsers: ScimUserStore; users: UserStore }

/**
 * Returns the user who has an address in a workspace, and creates the user if there is none. Returns
 * undefined if the user who has it goes by another address in the directory and keeps this one elsewhere:
 * the address may have passed to another person. The workspace must be locked.
 */
export async function ensureUserOf(
  tx: AddressStores,
  workspaceId: string,
  email: string,
): Promise<string | undefined> {
  const userId = await tx.users.ensure(email)
  const member = { workspaceId, userId }
  const userName = await tx.scimUsers.findName(member)
  if (userName === undefined || userName === email) return userId
  return (await moveAddress(tx, member, userName)) ? tx.users.ensure(email) : undefined
}

/**
 * Changes the address of a user to the one that the directory calls them by, if nobody else has it and
 * the user is not known outside the workspace. Returns false if the address remains.
 * See docs/decisions/directories.md#a-changed-username.
 */
export async function moveAddress(
  { scimUsers, users }: AddressStores,
  member: MemberId,
  userName: string,
): Promise<boolean> {
  // A concurrent sign-in by another provider either commits its linked account first, or notices.
  await users.lock(member.userId)
  return scimUsers.moveAddress(member, userName)
}

type ConnectionStores = { connections: ConnectionStore; connectionDomains: ConnectionDomainStore }

/**
 * Returns the active connection of the workspace whose verified domains include the one of an address.
 *
 * @throws a ServiceError INVALID_VALUE if there is none
 */
export async function requireConnection(
  { connections, connectionDomains }: ConnectionStores,
  workspaceId: string,
  email: string,
): Promise<StoredConnection> {
  const found = await connectionDomains.findConnectionOf(domainOf(email))
  const connection = found?.workspaceId === workspaceId && (await connections.find(found))
  if (connection) return connection
  throw invalidValue('userName', 'must be in a verified domain of an active connection')
}
