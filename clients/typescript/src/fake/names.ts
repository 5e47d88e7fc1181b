import type { Grantee } from '../argument-types.ts'
import { nameGrantee, type OwnerName } from '../arguments.ts'
import { invalidArgument } from '../errors.ts'
import { type FakeResource, type FakeState, findRole, requireId } from './world.ts'

/** A user or group. */
export type FakeGrantee = { userId: string | undefined; groupId: string | undefined }

/** Returns the user or group that a grantee names, and the argument that names it. */
export function findGrantee(
  state: FakeState,
  { workspaceId }: FakeResource,
  grantee: Grantee,
): FakeGrantee & { field: string } {
  const name = nameGrantee(grantee)
  const user = (field: string, userId: string) => ({ field, userId, groupId: undefined })
  const group = (field: string, groupId: string) => ({ field, userId: undefined, groupId })
  if (name.group_name !== undefined) {
    const text = name.group_name.trim()
    const found = [...state.groups].find(
      ([, known]) => known.workspaceId === workspaceId && known.name === text,
    )
    return group('grantee.group', found?.[0] ?? '')
  }
  if (name.grantee_email !== undefined)
    return user('grantee.email', findByEmail(state, name.grantee_email))
  if (name.grantee_external_id !== undefined)
    return user('grantee.externalId', findByExternalId(state, name.grantee_external_id))
  requireId(state, 'grantee', name.grantee_id)
  const { grantee_type, grantee_id } = name
  return grantee_type === 'group' ? group('grantee', grantee_id) : user('grantee', grantee_id)
}

/** Whether a user or group is in the workspace of a resource. */
export function isInWorkspace(
  state: FakeState,
  { workspaceId }: FakeResource,
  { userId, groupId }: FakeGrantee,
): boolean {
  return userId === undefined
    ? state.groups.get(groupId ?? '')?.workspaceId === workspaceId
    : findRole(state, workspaceId, userId) !== undefined
}

/** Returns the ID of the user whom an owner names; empty if there is none. */
export function findOwner(state: FakeState, name: OwnerName): string {
  if (name.owner_email !== undefined) return findByEmail(state, name.owner_email)
  if (name.owner_external_id !== undefined) return findByExternalId(state, name.owner_external_id)
  requireId(state, 'ownerId', name.owner_id)
  return name.owner_id
}

/** Requires that the owner is a member of the workspace. */
export function requireOwner(
  state: FakeState,
  workspaceId: string,
  name: OwnerName,
  ownerId: string,
): void {
  if (findRole(state, workspaceId, ownerId)) return
  const field =
    name.owner_email !== undefined
      ? 'ownerEmail'
      : name.owner_external_id !== undefined
        ? 'ownerExternalId'
        : 'ownerId'
  throw invalidArgument({ field, message: 'must be a member of the workspace' })
}

function findByEmail({ users }: FakeState, email: string): string {
  const address = email.trim().toLowerCase()
  return [...users.values()].find((user) => user.email.toLowerCase() === address)?.id ?? ''
}

function findByExternalId({ users }: FakeState, externalId: string): string {
  return [...users.values()].find((user) => user.externalId === externalId)?.id ?? ''
}
