import { beginAccountLink } from './begin-link.ts'
import { confirmAccountLink } from './confirm-link.ts'
import { setEmailSignIn } from './email-sign-in.ts'
import {
  acceptInvitation,
  declineInvitation,
  leaveWorkspace,
  listInvitations,
} from './memberships.ts'
import { deleteMe, exportMe } from './own-data.ts'

/** The handlers of the account page, by service. */
export const accountHandlers = {
  AuthService: { confirmAccountLink },
  UserService: {
    beginAccountLink,
    setEmailSignIn,
    exportMe,
    deleteMe,
    listInvitations,
    acceptInvitation,
    declineInvitation,
    leaveWorkspace,
  },
}
