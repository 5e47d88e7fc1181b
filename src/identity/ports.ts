import type { QuotaContext } from '../core/quotas.ts'
import type { Identity } from './providers/provider.ts'
import type { SignInResult } from './sign-in-result.ts'

/**
 * What identity must know of the features above. Their records provide it for each call and each of its
 * transactions.
 */
export type IdentityPorts = {
  signInConnections: SignInConnections
}

/** The connections of workspaces to their own identity providers, by which members sign in. */
export type SignInConnections = {
  /**
   * Returns the member whom the provider of a connection means, who joins if they have not yet. Locks
   * their user until the end of the transaction.
   */
  join(
    context: QuotaContext & { now: Date },
    connectionId: string,
    identity: Identity,
  ): Promise<SignInResult<ConnectedMember>>
}

/** A member who signs in by a connection. */
export type ConnectedMember = {
  userId: string
  /** Whether the person has no name yet, and nobody but the connection knows them. */
  mayName: boolean
}
