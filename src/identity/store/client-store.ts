import type { EntityManager } from '@mikro-orm/postgresql'
import type { JSONWebKeySet } from 'jose'
import { query } from '../../database/query.ts'
import type { MemberKey } from './claims-store.ts'

/**
 * The IDs of the client apps by which users sign in to the workspace console and to the account page.
 * Administrators neither see nor change them.
 */
export const consoleClientId = '0da1c000-0000-7000-8000-000000000001'
export const accountClientId = '0da1c000-0000-7000-8000-000000000002'

/** The client app of a sign-in that began at `/auth/login`. */
export type LoginClient = {
  /** Null if several client apps have registered the redirect URI, and none of them is bound. */
  id: string | null
  /** Set if only confidential client apps have registered the redirect URI. */
  confidentialId: string | null
  /** The only workspace whose members can sign in. */
  workspaceId: string | null
  /** Whether all client apps that have registered the redirect URI sign users in from a popup. */
  popupSignIn: boolean
}

/** The client app of a session. */
export type SessionClient = {
  type: 'public' | 'confidential'
  isActive: boolean
  workspaceId: string | null
}

/** A client app that presents a secret, or none. */
export type PresentedClient = {
  id: string
  name: string
  type: 'public' | 'confidential'
  isActive: boolean
  /** The only workspace whose members can sign in. */
  workspaceId: string | null
  /** Whether the presented secret is a valid one of the client. */
  secretMatches: boolean
  /** The public keys of a confidential client, as a JSON Web Key Set. */
  jwks: JSONWebKeySet | null
}

/** What a client that nobody registered says about itself in the document at its URL. */
export type ExternalClient = {
  /** The URL of the document, which is the ID of the client. */
  url: string
  /** The host of the URL as A-labels, with the port unless it is 443. */
  host: string
  /** A hash of what a consent depends on: redirect URIs, authentication method and keys. */
  metadataHash: string
  /** Whether it authenticates by its private key. */
  isAuthenticated: boolean
}

/** The active client app of an authorization request. */
export type RedirectingClient = {
  id: string
  name: string
  pkceRequired: boolean
  /** The only workspace whose members can sign in. */
  workspaceId: string | null
  popupSignIn: boolean
  /** Whether the redirect URI of the request is registered. */
  isRegistered: boolean
  /** Whether the user is asked before the client gets tokens. */
  consentRequired: boolean
  /** Absent for a registered client app. The name of any other is the one that it gives itself, if any. */
  external?: ExternalClient
}

/** The active client app of a logout request. */
export type LogoutClient = Pick<RedirectingClient, 'id' | 'name' | 'popupSignIn' | 'isRegistered'>

/** The client apps, for sign-ins and tokens. */
export class ClientStore {
  readonly #em: EntityManager

  constructor(em: EntityManager) {
    this.#em = em
  }

  /** Saves a client app of this server, whose ID is fixed. */
  async saveBuiltIn(id: string, name: string, redirectUri: string): Promise<void> {
    await query(this.#em, saveBuiltInSql, [id, name])
    await query(this.#em, saveBuiltInUriSql, [id, redirectUri])
  }

  /** Saves a client that nobody registered, to which a user consents. */
  async saveExternal({ id, name, url }: { id: string; name: string; url: string }): Promise<void> {
    await query(this.#em, saveExternalSql, [id, name, url])
  }

  /** Whether a user has ever consented to a client that nobody registered. */
  async hasExternal(id: string): Promise<boolean> {
    return (await query(this.#em, hasExternalSql, [id])).length > 0
  }

  /**
   * Returns the active client app that has registered exactly this redirect URI, unless it requires
   * consent, which only the authorization endpoint asks for.
   */
  async findByRedirectUri(uri: string): Promise<LoginClient | undefined> {
    const [client] = await query<LoginClient>(this.#em, findByRedirectUriSql, [uri])
    return client
  }

  /** Finds a client app, and checks whether a secret is one of its valid ones. */
  async findPresented(
    id: string,
    secretHash: string,
    now: Date,
  ): Promise<PresentedClient | undefined> {
    const [client] = await query<PresentedClient>(this.#em, findPresentedSql, [id, secretHash, now])
    return client
  }

  /**
   * Returns the service account that an active client app obtains tokens for. Locks both, so that
   * neither can be deactivated before the token is recorded.
   */
  async lockServiceAccount(id: string): Promise<MemberKey | undefined> {
    const [account] = await query<{ userId: string; workspaceId: string }>(
      this.#em,
      lockServiceAccountSql,
      [id],
    )
    return account
  }

  /** Keeps an assertion until it expires. Returns false if it has been used before. */
  async useAssertion(assertionHash: string, expiresAt: Date): Promise<boolean> {
    const rows = await query(this.#em, useAssertionSql, [assertionHash, expiresAt])
    return rows.length > 0
  }

  /** Finds an active client app, and checks whether it has registered one of the redirect URIs. */
  async findRedirecting(
    id: string,
    redirectUris: string[],
  ): Promise<RedirectingClient | undefined> {
    const values = [id, redirectUris]
    const [client] = await query<RedirectingClient>(this.#em, findRedirectingSql, values)
    return client
  }

  /**
   * Finds an active client app, and checks whether it has registered exactly this post-logout
   * redirect URI.
   */
  async findForLogout(id: string, postLogoutUri: string): Promise<LogoutClient | undefined> {
    const [client] = await query<LogoutClient>(this.#em, findForLogoutSql, [id, postLogoutUri])
    return client
  }

  /** Returns the client app of a code or session. */
  async findOfSession(id: string): Promise<SessionClient | undefined> {
    const [client] = await query<SessionClient>(this.#em, findOfSessionSql, [id])
    return client
  }
}

/** $1 client ID, $2 name. */
const saveBuiltInSql = `
  insert into client_apps (id, name, type) values ($1, $2, 'public')
  on conflict (id) do update set name = excluded.name where client_apps.name <> excluded.name`

/** $1 client ID, $2 the only redirect URI. */
const saveBuiltInUriSql = `
  with removed as (delete from client_redirect_uris where app_id = $1 and uri <> $2)
  insert into client_redirect_uris (app_id, uri) values ($1, $2) on conflict do nothing`

/** $1 client ID, $2 name, $3 URL. */
const saveExternalSql = `
  insert into client_apps (id, name, type, metadata_uri) values ($1, $2, 'public', $3)
  on conflict (id) do update set name = excluded.name where client_apps.name <> excluded.name`

/** $1 client ID. */
const hasExternalSql = 'select from client_apps where id = $1 and metadata_uri is not null'

/** $1 client ID, $2 hash of the secret, $3 current time. */
const findPresentedSql = `
  select a.id, a.name, a.type, a.is_active as "isActive", a.workspace_id as "workspaceId", a.jwks,
    exists (select from client_secrets s where s.app_id = a.id and s.secret_hash = $2
      and (s.expires_at is null or s.expires_at > $3)) as "secretMatches"
  from client_apps a where a.id = $1 and a.metadata_uri is null`

/** $1 client ID. */
const lockServiceAccountSql = `
  select u.id as "userId", u.workspace_id as "workspaceId"
  from client_apps a join users u on u.id = a.service_account_id
  where a.id = $1 and a.is_active and a.type = 'confidential' for share of a, u`

/** $1 hash of the assertion, $2 its expiry. */
const useAssertionSql = `
  insert into used_assertions (assertion_hash, expires_at) values ($1, $2) on conflict do nothing
  returning assertion_hash`

/** $1 client ID, $2 array of redirect URIs. */
const findRedirectingSql = `
  select a.id, a.name, a.pkce_required as "pkceRequired", a.workspace_id as "workspaceId",
    a.popup_sign_in as "popupSignIn", a.consent_required as "consentRequired",
    exists (select from client_redirect_uris u where u.app_id = a.id and u.uri = any($2))
      as "isRegistered"
  from client_apps a where a.id = $1 and a.is_active and a.metadata_uri is null`

/** $1 client ID, $2 post-logout redirect URI. */
const findForLogoutSql = `
  select a.id, a.name, a.popup_sign_in as "popupSignIn",
    $2 = any(a.post_logout_redirect_uris) as "isRegistered"
  from client_apps a where a.id = $1 and a.is_active and a.metadata_uri is null`

/** $1 redirect URI. */
const findByRedirectUriSql = `
  select
    coalesce(min(a.id::text) filter (where a.workspace_id is not null),
      case when count(*) = 1 then min(a.id::text) end) as id,
    case when bool_or(a.type = 'public') then null else min(a.id::text) end as "confidentialId",
    min(a.workspace_id::text) as "workspaceId",
    bool_and(a.popup_sign_in) as "popupSignIn"
  from client_redirect_uris u join client_apps a on a.id = u.app_id
  where u.uri = $1 and a.is_active and a.metadata_uri is null and not a.consent_required
  having count(*) > 0`

/** $1 client ID. */
const findOfSessionSql = `
  select type, is_active as "isActive", workspace_id as "workspaceId"
  from client_apps where id = $1`

/**
 * $1 array of origins. Returns, for each of them in order, whether it belongs to a redirect URI of
 * an active client app.
 */
export const areClientOriginsSql = `
  select exists (
    select from client_redirect_uris u join client_apps a on a.id = u.app_id
    where u.origin = requested.origin and a.is_active)
  from unnest($1::text[]) with ordinality as requested (origin, position)
  order by requested.position`
