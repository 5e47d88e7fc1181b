import { adminLogout, beginAdminLogin, completeAdminLogin, getAdminMe } from './admin-login.ts'
import { exchangeToken, listCodeWorkspaces } from './authorization-codes.ts'
import { listAccounts, unlinkAccount } from './linked-accounts.ts'
import { beginLogin, completeLogin } from './login.ts'
import { authorize } from './oauth/authorize.ts'
import { introspectToken } from './oauth/introspect.ts'
import { openInvitation } from './oauth/invitation-page.ts'
import { endBrowserSession } from './oauth/logout.ts'
import { revokeToken } from './oauth/revoke.ts'
import { issueToken } from './oauth/token-endpoint.ts'
import { getUserInfo } from './oauth/user-info.ts'
import { refreshToken, switchWorkspace } from './session-tokens.ts'
import { endOtherSessions, endSession, listSessions, logout } from './sessions.ts'
import { getMe, updateMe } from './users.ts'
import { getConfiguration, getKeySet } from './well-known.ts'

/** The handlers of sign-in, tokens and sessions, by service. */
export const identityHandlers = {
  AuthService: {
    beginLogin,
    completeLogin,
    listCodeWorkspaces,
    exchangeToken,
    refreshToken,
    switchWorkspace,
    logout,
    beginAdminLogin,
    completeAdminLogin,
    adminLogout,
    getAdminMe,
    getKeySet,
    getConfiguration,
  },
  OAuthService: {
    authorize,
    openInvitation,
    issueToken,
    getUserInfo,
    revokeToken,
    introspectToken,
    endBrowserSession,
  },
  UserService: {
    getMe,
    updateMe,
    listSessions,
    endSession,
    endOtherSessions,
    listAccounts,
    unlinkAccount,
  },
}
