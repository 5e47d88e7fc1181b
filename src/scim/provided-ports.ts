import type { ExportedScimUser } from '../../gen/daikon/v1/admin_user_data.ts'
import type { ProvisionedUsers } from '../admin/ports.ts'
import type { Directory } from '../connections/ports.ts'
import { isoTime } from '../database/sql-values.ts'
import { type AddressStores, ensureUserOf } from './addresses.ts'
import type { ScimUser, ScimUserStore } from './store/scim-user-store.ts'

/** What SCIM tells the features below. */
export const scimPorts = {
  directory: (tx: AddressStores): Directory => ({
    async findName(member) {
      return (await tx.scimUsers.find(member))?.userName
    },
    findByExternalIds: (workspaceId, ids) => tx.scimUsers.findByExternalIds(workspaceId, ids),
    findIdByName: (workspaceId, email) => tx.scimUsers.findIdByName(workspaceId, email),
    ensureUser: (workspaceId, email) => ensureUserOf(tx, workspaceId, email),
    isBlocked: (member) => tx.scimUsers.isBlocked(member),
  }),
  provisionedUsers: ({ scimUsers }: { scimUsers: ScimUserStore }): ProvisionedUsers => ({
    async list(userId) {
      return (await scimUsers.listOfUser(userId)).map(toExportedScimUser)
    },
  }),
}

function toExportedScimUser(user: Omit<ScimUser, 'isMember' | 'isGuest'>): ExportedScimUser {
  const { workspaceId, userName, externalId, attributes, createdAt } = user
  return {
    workspace_id: workspaceId,
    user_name: userName,
    ...(externalId !== null && { external_id: externalId }),
    attributes,
    created_at: isoTime(createdAt),
  }
}
