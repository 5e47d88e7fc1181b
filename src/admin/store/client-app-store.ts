import type { EntityManager } from '@mikro-orm/postgresql'
import { changedFields } from '../../core/changed-fields.ts'
import { ClientApp, ClientRedirectUri, ClientSecret } from '../../database/entities/sign-in.ts'
import { query } from '../../database/query.ts'
import type { Timestamp } from '../../database/sql-values.ts'
import { accountClientId, consoleClientId } from '../../identity/store/client-store.ts'

/** The settings of a client app, without its redirect URIs. */
export type ClientAppSettings = {
  name: string
  type: string
  isActive: boolean
  /** Sorted. */
  postLogoutRedirectUris: string[]
  backchannelLogoutUri: string | null
  pkceRequired: boolean
  popupSignIn: boolean
  /** Whether users must agree before the app has access. */
  consentRequired: boolean
  /** The only workspace whose members can sign in. */
  workspaceId: string | null
  /** The service account that the app obtains tokens for with its own credentials. */
  serviceAccountId: string | null
  /** The public keys of the app, as a JSON Web Key Set. */
  jwks: Record<string, unknown> | null
}

/** The settings to change. */
export type ClientAppChanges = {
  [Name in keyof ClientAppSettings]?: ClientAppSettings[Name] | undefined
}

/** A client app with its sorted redirect URIs and the prefix of its newest secret. */
export type StoredClientApp = ClientAppSettings & {
  id: string
  redirectUris: string[]
  secretPrefix: string | null
  createdBy: string | null
  createdAt: Timestamp
}

/** Web applications that users sign in to, with their redirect URIs and secrets. */
export class ClientAppStore {
  readonly #em: EntityManager

  constructor(em: EntityManager) {
    this.#em = em
  }

  /** Inserts an app without redirect URIs and secrets. */
  async insert(
    id: string,
    settings: ClientAppSettings,
    createdBy: string | undefined,
  ): Promise<void> {
    await this.#em.insert(ClientApp, {
      id,
      name: settings.name,
      type: settings.type,
      is_active: settings.isActive,
      post_logout_redirect_uris: settings.postLogoutRedirectUris,
      backchannel_logout_uri: settings.backchannelLogoutUri,
      pkce_required: settings.pkceRequired,
      popup_sign_in: settings.popupSignIn,
      consent_required: settings.consentRequired,
      workspace_id: settings.workspaceId,
      service_account_id: settings.serviceAccountId,
      jwks: settings.jwks,
      created_by: createdBy ?? null,
    })
  }

  /** Returns all apps, oldest first. */
  list(): Promise<StoredClientApp[]> {
    return query(this.#em, `${selectSql} where ${isListed} order by a.id`)
  }

  async find(id: string): Promise<StoredClientApp | undefined> {
    const [app] = await query<StoredClientApp>(this.#em, findSql, [id])
    return app
  }

  /** Locks an app until the end of the transaction and returns it. */
  async lock(id: string): Promise<StoredClientApp | undefined> {
    const [app] = await query<StoredClientApp>(this.#em, lockSql, [id])
    return app
  }

  /** Changes settings. Absent ones remain unchanged. */
  async update(id: string, changes: ClientAppChanges): Promise<void> {
    const columns = changedFields({
      name: changes.name,
      type: changes.type,
      is_active: changes.isActive,
      post_logout_redirect_uris: changes.postLogoutRedirectUris,
      backchannel_logout_uri: changes.backchannelLogoutUri,
      pkce_required: changes.pkceRequired,
      popup_sign_in: changes.popupSignIn,
      consent_required: changes.consentRequired,
      workspace_id: changes.workspaceId,
      service_account_id: changes.serviceAccountId,
      jwks: changes.jwks,
    })
    if (columns) await this.#em.nativeUpdate(ClientApp, { id }, columns)
  }

  /** Deletes an app with its redirect URIs and secrets. */
  async delete(id: string): Promise<void> {
    await this.#em.nativeDelete(ClientApp, { id })
  }

  async setRedirectUris(id: string, uris: string[]): Promise<void> {
    await this.#em.nativeDelete(ClientRedirectUri, { app_id: id })
    const rows = [...new Set(uris)].map((uri) => ({ app_id: id, uri }))
    await this.#em.insertMany(ClientRedirectUri, rows)
  }

  /**
   * Locks redirect URIs until the end of the transaction, so that two apps cannot register the URI
   * of a bound app concurrently.
   */
  async lockRedirectUris(uris: string[]): Promise<void> {
    await query(this.#em, lockRedirectUrisSql, [uris])
  }

  /** Returns a redirect URI that an app shares with another one although one of them is bound. */
  async findSharedUri(id: string): Promise<{ uri: string; name: string } | undefined> {
    const [shared] = await query<{ uri: string; name: string }>(this.#em, findSharedUriSql, [id])
    return shared
  }

  async insertSecret(id: string, secret: { hash: string; prefix: string }): Promise<void> {
    const { hash, prefix } = secret
    await this.#em.insert(ClientSecret, { secret_hash: hash, secret_prefix: prefix, app_id: id })
  }

  async deleteSecrets(id: string): Promise<void> {
    await this.#em.nativeDelete(ClientSecret, { app_id: id })
  }

  /** Expires the secrets of an app after `seconds`, unless they expire earlier. */
  async expireSecrets(id: string, seconds: number): Promise<void> {
    await query(this.#em, expireSecretsSql, [seconds, id])
  }
}

/**
 * The client apps of the workspace console and of the account page belong to daikon, and nobody registered
 * those that are known by their URL.
 */
const isListed = `a.id not in ('${consoleClientId}', '${accountClientId}') and a.metadata_uri is null`

/** The prefix is from the newest secret, which expires last. */
const selectSql = `
  select a.id, a.name, a.type, a.is_active as "isActive", a.created_by as "createdBy",
    a.created_at as "createdAt", a.backchannel_logout_uri as "backchannelLogoutUri",
    array(select uri from client_redirect_uris where app_id = a.id order by uri) as "redirectUris",
    a.post_logout_redirect_uris as "postLogoutRedirectUris", a.pkce_required as "pkceRequired",
    a.workspace_id as "workspaceId", a.popup_sign_in as "popupSignIn",
    a.consent_required as "consentRequired",
    a.service_account_id as "serviceAccountId", a.jwks,
    (select s.secret_prefix from client_secrets s where s.app_id = a.id
      order by s.expires_at desc nulls first limit 1) as "secretPrefix"
  from client_apps a`

/** $1 ID. */
const findSql = `${selectSql} where a.id = $1 and ${isListed}`

/** $1 ID. */
const lockSql = `${findSql} for no key update of a`

/** $1 array of URIs. The fixed order prevents deadlocks. */
const lockRedirectUrisSql = `
  select pg_advisory_xact_lock(key) from (
    select distinct hashtextextended('daikon redirect uri ' || uri, 0) as key
    from unnest($1::text[]) as uri order by key) as keys`

/** $1 ID. */
const findSharedUriSql = `
  select u.uri, other.name
  from client_apps a
  join client_redirect_uris u on u.app_id = a.id
  join client_redirect_uris o on o.uri = u.uri and o.app_id <> a.id
  join client_apps other on other.id = o.app_id
  where a.id = $1 and (a.workspace_id is not null or other.workspace_id is not null)
  order by u.uri, other.id limit 1`

/** $1 seconds, $2 ID. */
const expireSecretsSql = `
  update client_secrets
  set expires_at = least(expires_at, now() + make_interval(secs => $1)) where app_id = $2`
