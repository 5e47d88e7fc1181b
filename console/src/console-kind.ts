const { pathname, search } = location

/**
 * Whether the page is the workspace console, for the owners and admins of one workspace, instead of the
 * console of administrators. A page never changes from one to the other.
 */
export const isWorkspaceConsole = /^\/w(\/|$)/.test(pathname)

/**
 * The response of a sign-in to the workspace console, if the page was opened with one. It is read before
 * the router removes the parameters that it does not know from the address.
 */
export const signInResponse = readSignInResponse()

function readSignInResponse(): URLSearchParams | undefined {
  const query = new URLSearchParams(search)
  return pathname === '/w/callback' && query.has('state') ? query : undefined
}
