import { Ajv, type SchemaObject } from 'ajv'
import type { JWK } from 'jose'
import type { AuthorizationServer } from 'oauth4webapi'
import { ProviderError } from './provider-error.ts'

/** Checks a document of a provider. Throws a ProviderError if it is malformed. */
export type ReadDocument<Value> = (value: unknown) => Value

/** The discovery document as far as it is used (OpenID Connect Discovery 1.0, 3). */
export type DiscoveryDocument = AuthorizationServer &
  Required<Pick<AuthorizationServer, 'authorization_endpoint' | 'token_endpoint' | 'jwks_uri'>>

/** The members of a token response that are read here; oauth4webapi validates it as a whole. */
export type TokenResponse = { id_token?: string; error?: string; error_description?: string }

export type GithubUser = {
  id: number
  login?: string
  name?: string | null
  avatar_url?: string | null
}

export type GithubEmail = { email: string; primary: boolean; verified: boolean }

/** The maximum number of items in a list of a provider. */
const maxItems = 1000

const text = { type: 'string' }
const optionalText = { type: ['string', 'null'] }
const optionalTexts = { type: ['array', 'null'], items: text, maxItems }

export const readDiscovery = createReader<DiscoveryDocument>('the discovery document', {
  type: 'object',
  required: ['issuer', 'authorization_endpoint', 'token_endpoint', 'jwks_uri'],
  properties: {
    issuer: text,
    authorization_endpoint: text,
    token_endpoint: text,
    jwks_uri: text,
    userinfo_endpoint: optionalText,
    response_types_supported: optionalTexts,
    code_challenge_methods_supported: optionalTexts,
    id_token_signing_alg_values_supported: optionalTexts,
    token_endpoint_auth_methods_supported: optionalTexts,
    authorization_response_iss_parameter_supported: { type: ['boolean', 'null'] },
  },
})

/** RFC 7517, 5. Keys of other types than RSA may have any other members. */
export const readKeySet = createReader<{ keys: JWK[] }>('the key set', {
  type: 'object',
  required: ['keys'],
  properties: {
    keys: {
      type: 'array',
      maxItems,
      items: {
        type: 'object',
        required: ['kty'],
        properties: {
          kty: text,
          kid: text,
          use: text,
          alg: text,
          n: text,
          e: text,
          issuer: text,
        },
      },
    },
  },
})

/** RFC 6749, 5.1. GitHub returns errors with the same status. */
export const readTokenResponse = createReader<TokenResponse>('the token response', {
  type: 'object',
  properties: {
    access_token: text,
    token_type: text,
    id_token: text,
    scope: text,
    error: text,
    error_description: optionalText,
  },
})

export const readGithubUser = createReader<GithubUser>('the user', {
  type: 'object',
  required: ['id'],
  properties: {
    id: { type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER },
    login: text,
    name: optionalText,
    avatar_url: optionalText,
  },
})

export const readGithubEmails = createReader<GithubEmail[]>('the list of e-mail addresses', {
  type: 'array',
  maxItems,
  items: {
    type: 'object',
    required: ['email', 'primary', 'verified'],
    properties: { email: text, primary: { type: 'boolean' }, verified: { type: 'boolean' } },
  },
})

/** Returns a reader that compiles its schema on first use. */
function createReader<Value>(title: string, schema: SchemaObject): ReadDocument<Value> {
  let isValid: ReturnType<typeof compile<Value>> | undefined
  return (value) => {
    isValid ??= compile<Value>(schema)
    if (isValid(value)) return value
    const [error] = isValid.errors ?? []
    const problem = `${error?.instancePath ?? ''} ${error?.message ?? ''}`.trim()
    throw new ProviderError('invalid_response', `${title} is malformed: ${problem}`)
  }
}

function compile<Value>(schema: SchemaObject) {
  // Validating the schemas against the meta-schema would cost 50 ms.
  const ajv = new Ajv({ allowUnionTypes: true, meta: false, validateSchema: false })
  return ajv.compile<Value>(schema)
}
