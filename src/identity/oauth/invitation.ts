/** Returns the URL of the page of an invitation. */
export function invitationUrl(baseUrl: string, token: string): string {
  return `${baseUrl}/oauth/invitations/${token}`
}

/** Describes who invited a user; null for an administrator or operator. */
export function describeInviter(inviter: { name: string; email: string } | null): string {
  if (!inviter) return 'An administrator'
  return inviter.name === '' ? inviter.email : `${inviter.name} (${inviter.email})`
}
