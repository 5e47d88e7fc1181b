import {
  getScimConfiguration,
  getScimResourceType,
  getScimSchema,
  listScimResourceTypes,
  listScimSchemas,
} from './discovery.ts'
import {
  createScimGroup,
  deleteScimGroup,
  getScimGroup,
  listScimGroups,
  patchScimGroup,
  replaceScimGroup,
} from './groups.ts'
import { searchScim, searchScimGroups, searchScimUsers } from './search.ts'
import { confirmScim, createToken, deleteToken, getScimToken } from './token.ts'
import {
  createScimUser,
  deleteScimUser,
  getScimUser,
  listScimUsers,
  patchScimUser,
  replaceScimUser,
} from './users.ts'

/** The handlers of SCIM, by service. */
export const scimHandlers = {
  ScimService: {
    getScimConfiguration,
    listScimResourceTypes,
    getScimResourceType,
    listScimSchemas,
    getScimSchema,
    listScimUsers,
    searchScim,
    searchScimGroups,
    searchScimUsers,
    createScimUser,
    getScimUser,
    replaceScimUser,
    patchScimUser,
    deleteScimUser,
    listScimGroups,
    createScimGroup,
    getScimGroup,
    replaceScimGroup,
    patchScimGroup,
    deleteScimGroup,
  },
  WorkspaceService: {
    getScimToken,
    createScimToken: createToken,
    deleteScimToken: deleteToken,
    confirmScim,
  },
}
