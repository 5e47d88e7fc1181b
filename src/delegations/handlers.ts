import { createDelegation } from './create-delegation.ts'
import {
  deleteDelegation,
  deleteMyDelegation,
  deleteWorkspaceDelegation,
  getMyDelegation,
  listDelegations,
  listMyDelegations,
  listWorkspaceDelegations,
} from './delegations.ts'
import { previewDelegation } from './preview.ts'

/** The handlers of delegations, by service. */
export const delegationHandlers = {
  DelegationService: {
    createDelegation,
    previewDelegation,
    listMyDelegations,
    getMyDelegation,
    deleteMyDelegation,
    listWorkspaceDelegations,
    deleteWorkspaceDelegation,
    listDelegations,
    deleteDelegation,
  },
}
