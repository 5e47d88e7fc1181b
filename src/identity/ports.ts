import type { QuotaContext } from '../core/quotas.ts'
import type { Role } from '../core/roles.ts'
import type { Identity, Provider } from './providers/provider.ts'
import type { SignInResult } from './sign-in-result.ts'

/**
 * What identity must know of the features above. Their records provide it for each call and each of its
 * transactions.
 */
export type IdentityPorts = {
  sessionScope: SessionScope
  signInConnections: SignInConnections
  signInInvitations: SignInInvitations
  signInWorkspaces: SignInWorkspaces
  tokenResources: TokenResources
}

/** Which workspaces sessions may be used in. */
export type SessionScope = {
  /** Returns the workspaces that a session may be used in. */
  filter<Workspace extends { id: string }>(
    session: SignedIn,
    workspaces: Workspace[],
  ): Promise<Workspace[]>
  find(session: SignedIn, workspaceId: string): Promise<WorkspaceAccess>
  /** Throws permission_denied unless a session may begin in a workspace. Requires a transaction. */
  require(session: SignedIn, workspaceId: string): Promise<void>
}

/** Who signed in, and by which provider. */
export type SignedIn = { userId: string; provider: string }

/** Whether a session may be used in a workspace. */
export type WorkspaceAccess =
  | { isAllowed: true }
  /**
   * `requiredConnection` is the connection that the user must sign in through, if there is one;
   * `isTooWeak` whether any other sign-in than by a code would do.
   */
  | { isAllowed: false; requiredConnection?: string; isTooWeak?: true }

/** The connections of workspaces to identity providers of their own, through which members sign in. */
export type SignInConnections = {
  /** Whether any workspace has an active connection with a verified domain. */
  existsAny(): Promise<boolean>
  /** Returns an active connection of a workspace that is not deleted. */
  findActive(id: string): Promise<SignInConnection | undefined>
  /** Returns the ID of the active connection that has verified a domain. */
  findIdByDomain(domain: string): Promise<string | undefined>
  hasVerifiedDomain(id: string): Promise<boolean>
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

/** What a sign-in needs of a connection. */
export type SignInConnection = {
  id: string
  workspaceId: string
  name: string
  issuer: string
  clientId: string
  scopes: string[]
  /** The encrypted client secret. */
  secret: string
}

/** Returns the provider of a connection. */
export type ConnectionProviderSource = { providerOf(connection: SignInConnection): Provider }

/** A member who signs in through a connection. */
export type ConnectedMember = {
  userId: string
  /** Whether the person has no name yet, and nobody but the connection knows them. */
  mayName: boolean
}

/** The workspaces that users sign in to. */
export type SignInWorkspaces = {
  /**
   * Creates a workspace that a user owns, unless the user has joined one. The user must be locked, so
   * that concurrent sign-ins create only one.
   */
  createPersonal(user: { id: string; email: string; name: string }, now: Date): Promise<void>
  findName(id: string): Promise<string | undefined>
  /** Whether a user has joined a workspace or is invited to it. */
  hasMember(member: SignInMember): Promise<boolean>
  /** Marks an invited user as joined. Call it when the user obtains tokens for the workspace. */
  join(member: SignInMember, now: Date): Promise<void>
}

export type SignInMember = { userId: string; workspaceId: string }

/** The invitations whose links people open. */
export type SignInInvitations = {
  /** Returns the invitation that a token leads to, while it is pending or if the person has joined. */
  findByToken(token: string, now: Date): Promise<LinkedInvitation | undefined>
  /** Makes the invited person join, and ends all links of the invitation. */
  accept(invitation: SignInMember, now: Date): Promise<void>
}

/** An invitation, with the names that its page displays. */
export type LinkedInvitation = SignInMember & {
  email: string
  role: Role
  workspaceName: string
  /** Null if an administrator or operator invited the user, or the inviter no longer exists. */
  inviter: { name: string; email: string } | null
  /** When the membership was created, in seconds since the Unix epoch. */
  createdAt: string
  hasJoined: boolean
}

/** The APIs that access tokens can be limited to (RFC 8707). */
export type TokenResources = {
  find(id: string): Promise<TokenResource | undefined>
  /** Returns the API that a URI of a request names. */
  findByUri(uri: string): Promise<TokenResource | undefined>
}

export type TokenResource = {
  id: string
  /** The audience of the tokens. */
  uri: string
  /** The service whose keys the tokens are accepted with. */
  service: string
  /** The names of its scopes, in order. */
  scopes: string[]
  /** Whether tokens are issued for it now. */
  isActive: boolean
}

/** Finds the services whose APIs verified tokens are limited to. */
export type ResourceServices = {
  /** Returns the service of the API with this URI. */
  find(uri: string): Promise<string | undefined>
}
