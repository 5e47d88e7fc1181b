import { domainOf } from '../core/email.ts'
import { originOf } from './providers/generic.ts'
import type { Identity, SignInMethodName } from './providers/provider.ts'
import type { LinkedAccount } from './store/account-store.ts'

type Joining = Pick<Identity, 'provider' | 'subject' | 'hostedDomain' | 'joinsNone'>

type Rule = (identity: Joining, email: string) => boolean

/** Whether an account whose address is verified may join a user who already has accounts of other origins. */
const rules: Record<SignInMethodName, Rule> = {
  google: ({ hostedDomain }, email) => isGoogleAddress(email, hostedDomain),
  microsoft: () => true,
  github: () => true,
  // OIDC_TRUST_EMAIL decides.
  oidc: ({ joinsNone }) => !joinsNone,
  // A code is no master key.
  email: () => false,
  // A passkey proves no address.
  passkey: () => false,
}

/**
 * Returns whether an account may be linked to the user with its address, who has `accounts`, passkeys
 * included. If one of them has the same origin, the account may not join, because the address must have
 * changed hands.
 */
export function mayJoin(
  identity: Joining,
  email: string,
  accounts: Pick<LinkedAccount, 'provider' | 'subject'>[],
): boolean {
  if (accounts.length === 0) return true
  if (accounts.some((other) => originOf(other) === originOf(identity))) return false
  const rule = (rules as Partial<Record<string, Rule>>)[identity.provider]
  return rule?.(identity, email) ?? false
}

/**
 * Google is authoritative for gmail.com and for the domain of a Workspace account. It verifies
 * other addresses once, but does not notice when they change hands.
 */
function isGoogleAddress(email: string, hostedDomain: string | undefined): boolean {
  const domain = domainOf(email)
  return domain === 'gmail.com' || domain === hostedDomain
}
