import type { Directory } from '../connections/ports.ts'
import { type AddressStores, ensureUserOf } from './addresses.ts'

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
}
