import type { EventTable } from '../activity/events.ts'

/** The events of signing in, of sessions and of administrators. */
export const identityEvents = {
  'user.signed_in': {
    target: 'user',
    detail: ['provider'],
    description: 'A user signed in to a client app through an identity provider',
    recordedBy: ['completeLogin'],
  },
  'user.sign_in_failed': {
    target: 'user',
    detail: ['provider', 'error'],
    description:
      'A sign-in failed after the identity provider redirected back; the user is not identified',
    recordedBy: ['completeLogin'],
  },
  'admin.signed_in': {
    target: 'user',
    detail: ['provider'],
    description: 'An administrator signed in to the admin console',
    recordedBy: ['completeAdminLogin'],
  },
  'admin.sign_in_failed': {
    target: 'user',
    detail: ['provider', 'error'],
    description:
      'A sign-in to the admin console failed after the identity provider redirected back; the user is not identified',
    recordedBy: ['completeAdminLogin'],
  },
  'admin.access_refused': {
    target: 'user',
    detail: ['provider'],
    description: 'A user who is not an administrator tried to sign in to the admin console',
    recordedBy: ['completeAdminLogin'],
  },
  'user.account_linked': {
    target: 'user',
    detail: ['provider', 'subject'],
    description:
      'A first sign-in with an account linked it to the user with its e-mail address, or the user linked it on the account page',
    recordedBy: ['completeLogin', 'completeAdminLogin', 'confirmAccountLink'],
  },
  'user.email_changed': {
    target: 'user',
    detail: ['provider'],
    otherDetail: ['reason', 'keep_sign_in'],
    description:
      'The provider of a user’s only account had verified another address at a sign-in (`provider`), or an administrator corrected the address (`reason`, `keep_sign_in`)',
    recordedBy: ['completeLogin', 'completeAdminLogin', 'updateUser'],
  },
  'user.account_unlinked': {
    target: 'user',
    detail: ['provider', 'subject'],
    description: 'A user unlinked an account, which ended the other sessions of its provider',
    recordedBy: ['unlinkAccount'],
  },
  'user.link_refused': {
    target: 'user',
    detail: ['provider', 'subject'],
    description:
      'Sign-in refused: a user with this e-mail address already signs in with other accounts; or the account page refused an account of another user, or a second one of a provider',
    recordedBy: ['completeLogin', 'completeAdminLogin', 'confirmAccountLink'],
  },
  'user.signed_out': {
    target: 'user',
    detail: [],
    description: 'A user signed out, which ended all of their sessions',
    recordedBy: ['logout'],
  },
  'admin.signed_out': {
    target: 'user',
    detail: [],
    description: 'An administrator signed out of the admin console',
    recordedBy: ['adminLogout'],
  },
  'session.ended': {
    target: 'session',
    detail: ['user_id'],
    description:
      'A user or an administrator ended one or more sessions; one entry for each session',
    recordedBy: ['endSession', 'endOtherSessions', 'endUserSession', 'endUserSessions'],
  },
  'session.revoked': {
    target: 'session',
    detail: ['user_id', 'client_id'],
    description: 'A client app revoked a refresh token, which ended its session',
    recordedBy: ['revokeToken'],
  },
  'session.browser_ended': {
    target: 'session',
    detail: ['user_id'],
    description:
      'A user signed out of a browser, which ended the sessions of all client apps that began in it',
    recordedBy: ['endBrowserSession'],
  },
  'session.refresh_token_reused': {
    target: 'session',
    detail: ['user_id'],
    description: 'A refresh token was used again, which ended its session; the sender is unknown',
    recordedBy: ['refreshToken'],
  },
  'session.code_replayed': {
    target: 'session',
    detail: ['user_id'],
    description:
      'An authorization code was exchanged again, which ended its session; the sender is unknown',
    recordedBy: ['exchangeToken'],
  },
  'user.promoted': {
    target: 'user',
    detail: ['email', 'by'],
    description:
      'A user became an administrator: `by` is `list` for an address of ADMIN_EMAILS, `operator` or `console`',
    recordedBy: ['setAdministrator'],
    alsoRecordedBy: 'the `daikon` command-line tool, sign-ins with an address of ADMIN_EMAILS',
  },
  'user.demoted': {
    target: 'user',
    detail: ['email', 'by'],
    description: "An operator or another administrator revoked a user's administrator rights",
    recordedBy: ['setAdministrator'],
    alsoRecordedBy: 'the `daikon` command-line tool',
  },
} as const satisfies EventTable

type IdentityEvents = typeof identityEvents

declare module '../activity/events.ts' {
  interface ActivityEvents extends IdentityEvents {}
}
