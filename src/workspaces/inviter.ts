/** Describes who invited a user; null for an administrator or operator. */
export function describeInviter(inviter: { name: string; email: string } | null): string {
  if (!inviter) return 'An administrator'
  return inviter.name === '' ? inviter.email : `${inviter.name} (${inviter.email})`
}
