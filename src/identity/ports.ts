import type { JSONWebKeySet } from 'jose'
import type { HostedPage } from '../../gen/daikon/v1/oauth.ts'
import type { Actor } from '../activity/actor.ts'
import type { QuotaContext } from '../core/quotas.ts'
import type { Role } from '../core/roles.ts'
import type { Identity, Provider } from './providers/provider.ts'
import type { SignInResult } from './sign-in-result.ts'
import type { RedirectingClient } from './store/client-store.ts'

/**
 * What identity must know of the features above. Their records provide it for each call and each of its
 * transactions.
 */
export type IdentityPorts = {
  sessionScope: SessionScope
  signInConnections: SignInConnections
  signInInvitations: SignInInvitations
  signInWorkspaces: SignInWorkspaces
  signInConsents: SignInConsents
  tokenResources: TokenResources
  tokenDelegations: TokenDelegations
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
  /** What people read about the API. */
  name: string
  /** The names of its scopes, in order. */
  scopes: string[]
  /** What people read about each scope, by its name. */
  scopeDescriptions: ReadonlyMap<string, string>
  /** Whether tokens are issued for it now. */
  isActive: boolean
}

/** The delegations of delegated tokens. */
export type TokenDelegations = {
  /** Returns the service of a delegation that has not ended. */
  findService(id: string): Promise<string | undefined>
}

/** Finds the services whose APIs verified tokens are limited to. */
export type ResourceServices = {
  /** Returns the service of the API with this URI. */
  find(uri: string): Promise<string | undefined>
}

/** The clients that nobody registered, which are known by the URL of a document about them. */
export type ExternalClients = {
  /** Whether there may be any. */
  isEnabled: boolean
  /**
   * Returns the client whose ID is a URL, or undefined if the ID is none. Fetches nothing.
   *
   * @throws ServiceError `failed_precondition` if the URL is not accepted
   */
  identify(clientId: string): ExternalId | undefined
  /**
   * Returns what a client says about itself. It may be fetched, in the name of a person. `isKnown` is whether
   * somebody has consented to the client.
   *
   * @throws ServiceError `failed_precondition` if the document is not valid, `resource_exhausted` if too many
   * are fetched
   */
  describe(
    external: ExternalId,
    requester: { userId: string; isKnown: boolean },
  ): Promise<ExternalDescription>
}

/** A client that nobody registered: its ID in tables, its URL, and the host that pages show. */
export type ExternalId = { id: string; url: string; host: string }

export type ExternalDescription = {
  /** The name that the client gives itself, or an empty text. */
  name: string
  /** A hash of its redirect URIs, authentication method and keys. */
  metadataHash: string
  allowsRedirect(uri: string): boolean
  /** Present if the client authenticates by its private key. Throws like `describe`. */
  loadKeys?: () => Promise<JSONWebKeySet>
}

/** What users agree to before clients that require consent have access. */
export type SignInConsents = {
  /** Returns the workspaces that admit a client. */
  filter<Workspace extends { id: string }>(
    client: RedirectingClient,
    workspaces: Workspace[],
  ): Promise<Workspace[]>
  /**
   * Returns how a request goes on.
   *
   * @throws ServiceError `permission_denied` if its form belongs to another request, user or browser, or
   * is too old
   */
  ask(now: Date, question: ConsentQuestion): Promise<ConsentAnswer>
  /**
   * Saves what the user has agreed to in a workspace, and returns the ID of the grant, or undefined if an
   * earlier consent has ended. Requires a transaction in which the user is locked.
   *
   * @throws ServiceError `permission_denied` if the form has been used
   */
  agree(
    context: { now: Date; maxPerUser: number },
    question: ConsentQuestion,
    agreement: Agreement,
  ): Promise<string | undefined>
  /**
   * Ends the grants of clients that nobody registered in a workspace, which is locked. Requires a
   * transaction.
   */
  endExternal(context: { actor: Actor; now: Date }, workspaceId: string): Promise<void>
  /** Records that the tokens of a grant were refreshed. Requires a transaction. */
  use(grantId: string, now: Date): Promise<void>
}

/** What a client asks a user for. */
export type ConsentQuestion = {
  client: RedirectingClient
  redirectUri: string
  scopes: string[]
  /** The API that the access is limited to. */
  resource: TokenResource | undefined
  /** The workspaces that the user can choose from. */
  workspaces: { id: string; name: string; role: string }[]
  user: { id: string; email: string }
  /** The secret of the browser session. */
  browserSecret: string
  /** Identifies the request. */
  requestHash: string
  /** Whether the client demands the page. */
  isRequested: boolean
  /** Whether no page may be displayed. */
  isSilent: boolean
  /** What a form of the page has sent, or empty. */
  confirmation: string
  /** Where the form of the page is sent, and with which fields. */
  form: Pick<HostedPage, 'fields'> & { url: string }
  /** Where the request begins again. */
  restartUrl: string
}

export type ConsentAnswer =
  | { page: HostedPage }
  | { error: 'access_denied' | 'consent_required'; description: string }
  | { agreement: Agreement }

/** An earlier consent, or the form by which the user agrees now. */
export type Agreement = { grantId: string } | { formHash: string; expiresAt: Date }
