import { defineEntity, p } from '@mikro-orm/core'

/** A web application that people sign in to. */
export const ClientApp = defineEntity({
  name: 'ClientApp',
  tableName: 'client_apps',
  properties: {
    id: p.uuid().primary(),
    name: p.text(),
    is_active: p.boolean().default(true),
    created_by: p.uuid().nullable(),
    created_at: p.datetime().defaultRaw('now()'),
  },
})

/** Where a client app lets codes be sent, to the letter. */
export const ClientRedirectUri = defineEntity({
  name: 'ClientRedirectUri',
  tableName: 'client_redirect_uris',
  properties: { app_id: p.uuid().primary(), uri: p.text().primary() },
})

/** What a sign-in at a provider leads to: five minutes to fetch tokens (specification 3). */
export const AuthorizationCode = defineEntity({
  name: 'AuthorizationCode',
  tableName: 'authorization_codes',
  properties: {
    code_hash: p.text().primary(),
    user_id: p.uuid(),
    provider: p.text(),
    code_challenge: p.text(),
    expires_at: p.datetime(),
    consumed_at: p.datetime().nullable(),
    family_id: p.uuid().nullable(),
  },
})

/** All refresh tokens that came of one code: a session. Revoked, it is no more. */
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
  },
})

/** A refresh token, and the access token that was issued beside it. */
export const RefreshToken = defineEntity({
  name: 'RefreshToken',
  tableName: 'refresh_tokens',
  properties: {
    token_id: p.uuid().primary(),
    family_id: p.uuid(),
    access_token_id: p.uuid(),
    access_expires_at: p.datetime(),
    consumed_at: p.datetime().nullable(),
  },
})
