import type { CredentialKind, CredentialPolicy, Credentials } from '../core/credential-kind.ts'
import { ServiceError } from '../core/errors.ts'
import { reasons } from './reasons.ts'

/**
 * Verified credentials: the kinds that the call must present, and the claims of each at the same
 * position. Claims are undefined if the credential counts as absent.
 */
export type VerifiedCredentials = {
  kinds: readonly CredentialKind[]
  claims: unknown[]
  /** Why a token counts as absent. */
  tokenError?: ServiceError
}

/** The part of a policy by which credentials are verified. */
type VerificationPolicy = CredentialPolicy & {
  /** Whether an access token that is not valid counts as absent. */
  lenientUser: boolean
}

/**
 * Verifies the credentials that a policy requires. Returns synchronously if the token is remembered.
 * Throws or rejects with `unauthenticated`.
 */
export type VerifyCredentials = (
  policy: VerificationPolicy,
  credentials: Credentials,
  now: Date,
) => VerifiedCredentials | Promise<VerifiedCredentials>

/** Returns the kinds that a call must present. Throws `unauthenticated` if the method takes none. */
export type ChooseKinds = (
  policy: CredentialPolicy,
  credentials: Credentials,
) => readonly CredentialKind[]

/**
 * Creates the function that chooses one of the sets of a policy: the one of which a call presents the
 * most kinds, and of several the first. A set with a kind that is not registered cannot be chosen.
 */
export function createChooseKinds(kinds: CredentialKind[]): ChooseKinds {
  const byName = new Map(kinds.map((kind) => [kind.name, kind]))
  const setsOf = new WeakMap<CredentialPolicy, CredentialKind[][]>()

  function findSets(policy: CredentialPolicy): CredentialKind[][] {
    const sets = policy.credentials
      .filter((names) => names.every((name) => byName.has(name)))
      .map((names) => names.map((name) => byName.get(name) as CredentialKind))
    setsOf.set(policy, sets)
    return sets
  }

  return (policy, credentials) => {
    const sets = setsOf.get(policy) ?? findSets(policy)
    let chosen = sets[0]
    if (!chosen) throw noneTaken()
    if (sets.length === 1) return chosen
    let most = 0
    for (const set of sets) {
      let count = 0
      for (const kind of set) if (kind.isPresented(credentials, policy)) count += 1
      if (count <= most) continue
      chosen = set
      most = count
    }
    return chosen
  }
}

/** Creates the verifier of the credentials of calls. */
export function createCredentialsVerifier(chooseKinds: ChooseKinds): VerifyCredentials {
  return (policy, credentials, now) => {
    const kinds = chooseKinds(policy, credentials)
    if (policy.lenientUser) return verifyLeniently(kinds, policy, credentials, now)
    const claims: unknown[] = []
    let isPending = false
    for (const kind of kinds) {
      const verified = kind.verify(credentials, policy, now, false)
      if (verified instanceof Promise) isPending = true
      claims.push(verified)
    }
    if (!isPending) return { kinds, claims }
    return Promise.all(claims).then((settled) => ({ kinds, claims: settled }))
  }
}

async function verifyLeniently(
  kinds: readonly CredentialKind[],
  policy: VerificationPolicy,
  credentials: Credentials,
  now: Date,
): Promise<VerifiedCredentials> {
  const verified: VerifiedCredentials = { kinds, claims: [] }
  for (const kind of kinds) {
    try {
      verified.claims.push(await kind.verify(credentials, policy, now, false))
    } catch (error) {
      if (!(error instanceof ServiceError) || error.code !== 'unauthenticated') throw error
      verified.claims.push(undefined)
      verified.tokenError = error
    }
  }
  return verified
}

/** Returns the error of a call that presents nothing that the method takes. */
export function noneTaken(): ServiceError {
  return new ServiceError(reasons.CREDENTIALS_UNKNOWN)
}
