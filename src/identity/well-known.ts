import type {
  Configuration,
  GetConfigurationRequest,
  GetKeySetRequest,
  KeySet,
} from '../../gen/daikon/v1/auth.ts'
import type { IdentityContext } from './identity-dependencies.ts'

/** Returns the public keys that verify tokens. */
export async function getKeySet(
  { identity }: IdentityContext,
  _request: GetKeySetRequest,
): Promise<KeySet> {
  return {
    keys: identity.keys.jwks.map(({ kid = '', n = '', e = '' }) => {
      return { kty: 'RSA', use: 'sig', alg: 'RS256', kid, n, e }
    }),
  }
}

/** Returns where tokens are issued and how they are verified. Only that: this is not an OpenID provider. */
export async function getConfiguration(
  { identity }: IdentityContext,
  _request: GetConfigurationRequest,
): Promise<Configuration> {
  const { baseUrl } = identity.options
  return {
    issuer: baseUrl,
    jwks_uri: `${baseUrl}/.well-known/jwks.json`,
    token_endpoint: `${baseUrl}/auth/token`,
    response_types_supported: ['code'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['RS256'],
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: ['none'],
    claims_supported: [
      'sub',
      'jti',
      'email',
      'name',
      'wid',
      'wslug',
      'wrole',
      'groups',
      'groups_overage',
    ],
  }
}
