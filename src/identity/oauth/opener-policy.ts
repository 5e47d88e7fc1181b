/**
 * Returns the header `Cross-Origin-Opener-Policy` of a response in the sign-in of a client app, if it
 * differs from other responses. With `same-origin`, a popup could not report to the page that opened
 * it, not even after it has returned to the client app.
 */
export function openerPolicyOf(client: { popupSignIn: boolean } | undefined): {
  opener_policy?: string
} {
  return client?.popupSignIn ? { opener_policy: 'unsafe-none' } : {}
}
