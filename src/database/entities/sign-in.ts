import { defineEntity, p } from '@mikro-orm/core'

/** A web application that users sign in to. */
export const ClientApp = defineEntity({
  name: 'ClientApp',
  tableName: 'client_apps',
  properties: {
    id: p.uuid().primary(),
    name: p.text(),
    is_active: p.boolean().default(true),
    created_by: p.uuid().nullable(),
    created_at: p.datetime().defaultRaw('now()'),
    type: p.text().default('public'),
    post_logout_redirect_uris: p.array().default([]),
    backchannel_logout_uri: p.text().nullable(),
    pkce_required: p.boolean().default(true),
    /** The only workspace whose members can sign in. It may have been deleted. */
    workspace_id: p.uuid().nullable(),
    /** Whether sign-ins may begin in a popup, which keeps its connection to the page that opened it. */
    popup_sign_in: p.boolean().default(false),
    /** Whether users must agree before the app has access. */
    consent_required: p.boolean().default(false),
    /** The service account that the app obtains tokens for with its own credentials. */
    service_account_id: p.uuid().nullable(),
    /** The public keys of the app, as a JSON Web Key Set. */
    jwks: p.json().$type<Record<string, unknown>>().nullable(),
    /** The URL of a client that nobody registered. */
    metadata_uri: p.text().nullable(),
  },
})

/**
 * A secret of a confidential client app, stored as its hash. It is valid until `expires_at`, if
 * set.
 */
export const ClientSecret = defineEntity({
  name: 'ClientSecret',
  tableName: 'client_secrets',
  properties: {
    secret_hash: p.text().primary(),
    secret_prefix: p.text(),
    app_id: p.uuid(),
    created_at: p.datetime().defaultRaw('now()'),
    expires_at: p.datetime().nullable(),
  },
})

/** A redirect URI of a client app, compared by exact string match (RFC 9700, section 2.1). */
export const ClientRedirectUri = defineEntity({
  name: 'ClientRedirectUri',
  tableName: 'client_redirect_uris',
  properties: { app_id: p.uuid().primary(), uri: p.text().primary() },
})

/** An authorization code. It can be exchanged for tokens within five minutes. */
export const AuthorizationCode = defineEntity({
  name: 'AuthorizationCode',
  tableName: 'authorization_codes',
  properties: {
    code_hash: p.text().primary(),
    user_id: p.uuid(),
    provider: p.text(),
    code_challenge: p.text().nullable(),
    expires_at: p.datetime(),
    consumed_at: p.datetime().nullable(),
    /** The session that the code was exchanged for. It may have been revoked. */
    family_id: p.uuid().nullable(),
    // Null for a code of `/auth/login`, except for the client_id of a confidential client app.
    client_id: p.uuid().nullable(),
    // The client app that registered the redirect URI of `/auth/login`, unless several have.
    login_client_id: p.uuid().nullable(),
    redirect_uri: p.text().nullable(),
    scope: p.text().nullable(),
    nonce: p.text().nullable(),
    workspace_id: p.uuid().nullable(),
    browser_session_id: p.uuid().nullable(),
    /** The API that the tokens are limited to. */
    resource_id: p.uuid().nullable(),
    /** The consent of the user, if the client app requires one. */
    grant_id: p.uuid().nullable(),
    // How and when the user signed in; null for codes of an earlier version.
    authenticated_at: p.datetime().nullable(),
    is_time_reported: p.boolean().default(false),
    /** Equals `authenticated_at` if the account page asked for the sign-in. */
    stepped_up_at: p.datetime().nullable(),
    amr: p.array().nullable(),
  },
})

/** A session: the refresh tokens issued for one authorization code. Revoking it deletes it. */
export const RefreshFamily = defineEntity({
  name: 'RefreshFamily',
  tableName: 'refresh_families',
  properties: {
    id: p.uuid().primary(),
    user_id: p.uuid(),
    workspace_id: p.uuid(),
    provider: p.text(),
    user_agent: p.text(),
    created_at: p.datetime(),
    last_used_at: p.datetime(),
    expires_at: p.datetime(),
    client_id: p.uuid().nullable(),
    login_client_id: p.uuid().nullable(),
    scope: p.text().nullable(),
    browser_session_id: p.uuid().nullable(),
    /** The API that the tokens are limited to. */
    resource_id: p.uuid().nullable(),
    /** The consent of the user, if the client app requires one. */
    grant_id: p.uuid().nullable(),
    authenticated_at: p.datetime().nullable(),
    is_time_reported: p.boolean().default(false),
    stepped_up_at: p.datetime().nullable(),
    /** What a provider said. Only nodes of the previous version read and write it. */
    acr: p.text().nullable(),
    amr: p.array().nullable(),
  },
})

/** A refresh token and the access token that was issued together with it. */
export const RefreshToken = defineEntity({
  name: 'RefreshToken',
  tableName: 'refresh_tokens',
  properties: {
    token_id: p.uuid().primary(),
    family_id: p.uuid(),
    access_token_id: p.uuid(),
    access_expires_at: p.datetime(),
    /** The scope of the access token if it is narrower than the session's. */
    access_scope: p.text().nullable(),
    consumed_at: p.datetime().nullable(),
  },
})

/** A browser that is signed in to daikon itself. It is found by the hash of its cookie. */
export const BrowserSession = defineEntity({
  name: 'BrowserSession',
  tableName: 'browser_sessions',
  properties: {
    id: p.uuid().primary(),
    secret_hash: p.text(),
    user_id: p.uuid(),
    provider: p.text(),
    authenticated_at: p.datetime(),
    /** Whether the provider reported when the user signed in. */
    is_time_reported: p.boolean().default(false),
    stepped_up_at: p.datetime().nullable(),
    /** What a provider said. Only nodes of the previous version read and write it. */
    acr: p.text().nullable(),
    amr: p.array().default([]),
    /** Whether the sign-in created no personal workspace, because its client app is bound. */
    lacks_personal_workspace: p.boolean().default(false),
    /** The hash of what the browser is remembered by. */
    browser_hash: p.text().nullable(),
    created_at: p.datetime(),
    expires_at: p.datetime(),
  },
})
