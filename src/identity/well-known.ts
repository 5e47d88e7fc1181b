import type {
  Configuration,
  GetConfigurationRequest,
  GetKeySetRequest,
  KeySet,
} from '../../gen/daikon/v1/auth.ts'
import type { IdentityContext } from './identity-dependencies.ts'
import {
  supportedPrompts,
  supportedResponseModes,
  supportedScopes,
} from './oauth/authorization-request.ts'
import { assertionAlgorithms } from './oauth/client-assertions.ts'
import { listGrantTypes } from './oauth/token-endpoint.ts'
import type { TokenExchange } from './token-exchange.ts'

const confidentialMethods = ['client_secret_basic', 'client_secret_post', 'private_key_jwt']
const clientMethods = [...confidentialMethods, 'none']

/** Returns the public keys that verify tokens. */
export async function getKeySet(
  { identity }: IdentityContext,
  _request: GetKeySetRequest,
): Promise<KeySet> {
  return {
    keys: identity.currentKeys().jwks.map(({ kid = '', n = '', e = '' }) => {
      return { kty: 'RSA', use: 'sig', alg: 'RS256', kid, n, e }
    }),
  }
}

/** Returns the metadata of this OpenID provider (OpenID Connect Discovery 1.0, RFC 8414). */
export async function getConfiguration(
  { identity, tokenExchange }: IdentityContext & { tokenExchange: TokenExchange },
  _request: GetConfigurationRequest,
): Promise<Configuration> {
  const { BASE_URL: baseUrl } = identity.settings
  const hasPasskeys = identity.providers.has('passkey')
  return {
    issuer: baseUrl,
    jwks_uri: `${baseUrl}/.well-known/jwks.json`,
    authorization_endpoint: `${baseUrl}/oauth/authorize`,
    token_endpoint: `${baseUrl}/oauth/token`,
    userinfo_endpoint: `${baseUrl}/oauth/userinfo`,
    revocation_endpoint: `${baseUrl}/oauth/revoke`,
    introspection_endpoint: `${baseUrl}/oauth/introspect`,
    end_session_endpoint: `${baseUrl}/oauth/logout`,
    scopes_supported: [...supportedScopes],
    response_types_supported: ['code'],
    response_modes_supported: [...supportedResponseModes],
    grant_types_supported: listGrantTypes(tokenExchange),
    prompt_values_supported: [...supportedPrompts],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['RS256'],
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: clientMethods,
    token_endpoint_auth_signing_alg_values_supported: assertionAlgorithms,
    revocation_endpoint_auth_methods_supported: clientMethods,
    revocation_endpoint_auth_signing_alg_values_supported: assertionAlgorithms,
    introspection_endpoint_auth_methods_supported: [...confidentialMethods, 'Bearer'],
    introspection_endpoint_auth_signing_alg_values_supported: assertionAlgorithms,
    authorization_response_iss_parameter_supported: true,
    backchannel_logout_supported: true,
    backchannel_logout_session_supported: true,
    acr_values_supported: hasPasskeys ? ['phr'] : [],
    client_id_metadata_document_supported: identity.externalClients.isEnabled,
    claims_parameter_supported: false,
    request_parameter_supported: false,
    request_uri_parameter_supported: false,
    claims_supported: [
      'iss',
      'sub',
      'aud',
      'exp',
      'iat',
      'auth_time',
      'auth_time_unconfirmed',
      'nonce',
      'amr',
      ...(hasPasskeys ? ['acr'] : []),
      'sid',
      'at_hash',
      'name',
      'given_name',
      'family_name',
      'preferred_username',
      'picture',
      'email',
      'email_verified',
      'wid',
      'wslug',
      'wrole',
      'guest',
      'roles',
      'roles_overage',
      'groups',
      'groups_overage',
    ],
  }
}
