import type { Identity } from './providers/provider.ts'
import type { AccountStore } from './store/account-store.ts'

const passkeyPrefix = 'passkey:'

/**
 * Returns the name under which sessions that a passkey began are kept, so that they end with it: the
 * provider `passkey` with the ID of the passkey.
 */
export function passkeyProvider(passkeyId: string): string {
  return `${passkeyPrefix}${passkeyId}`
}

/** Returns the provider under which the sessions of an identity are kept. */
export function sessionProviderOf({ provider, passkeyId }: Identity): string {
  return passkeyId === undefined ? provider : passkeyProvider(passkeyId)
}

/** Returns the provider of a session as callers see it, without the ID of a passkey. */
export function shownProvider(provider: string): string {
  return provider.startsWith(passkeyPrefix) ? 'passkey' : provider
}

/** Returns the authentication context class of a session (`acr`): `phr` if a passkey began it. */
export function acrOf(provider: string): 'phr' | undefined {
  return provider.startsWith(passkeyPrefix) ? 'phr' : undefined
}

/**
 * Returns the method that a session of a user counts as. A passkey, or an account that was added in a
 * session, counts as the method of that session.
 */
export async function findMethod(
  { accounts }: { accounts: AccountStore },
  { userId, provider }: { userId: string; provider: string },
): Promise<string> {
  const name = shownProvider(provider)
  const linked = await accounts.list(userId)
  const account = linked.find((one) =>
    name === 'passkey' ? passkeyProvider(one.id) === provider : one.provider === name,
  )
  return account?.addedBy ?? name
}
