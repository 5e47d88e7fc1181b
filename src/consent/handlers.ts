import {
  deleteGrant,
  deleteGrants,
  deleteMyGrant,
  deleteWorkspaceGrant,
  listGrants,
  listMyGrants,
  listWorkspaceGrants,
} from './grants.ts'

/** The handlers of grants, by service. */
export const consentHandlers = {
  GrantService: {
    listMyGrants,
    deleteMyGrant,
    listWorkspaceGrants,
    deleteWorkspaceGrant,
    listGrants,
    deleteGrant,
    deleteGrants,
  },
}
