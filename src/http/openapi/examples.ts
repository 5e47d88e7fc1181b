import type { JsonSchema } from '../../rpc/schema.ts'

/** Makes the example of a schema from its rules and the names of its fields; always the same one. */
export type ExampleMaker = (schema: JsonSchema, name?: string, within?: string) => unknown

const id = (last: string) => `0d000000-0000-7000-8000-${last.padStart(12, '0')}`
const moment = '2026-11-21T12:00:00.000Z'
const bob = id('b')
const secret = 'c2VjcmV0-bWFkZS1vZi0zMi1yYW5kb20tYnl0ZXMtaGVyZQ'

/**
 * What a field holds, by its name, or by its message and name where the name alone means several
 * things. The ids are of the demo's workspace, so that most examples can be sent as they are.
 */
const values: Record<string, unknown> = {
  ...{ workspace_id: id('1'), group_id: id('2'), client_app_id: id('3') },
  ...{ user_id: bob, grantee_id: bob, resource_id: id('d2'), resource_ids: id('d2') },
  ...{ owner_id: id('a'), granted_by: id('a'), created_by: id('a'), actor_id: id('a') },
  ...{ service_name: 'docs', resource_type: 'document', action: 'view', permission: 'view' },
  ...{ visibility: 'workspace', grantee_type: 'user', status: 'active', role: 'editor' },
  ...{ name: 'Example', description: 'An example', slug: 'example', workspace_slug: 'example' },
  ...{ email: 'bob@example.com', q: 'bob', avatar_url: 'https://example.com/bob.png' },
  ...{ groups: 'writers', members: 3, workspaces: 1, resources: 3, is_admin: false },
  ...{ redirect_uris: 'https://app.example.com/callback', provider: 'google' },
  ...{ redirect_uri: 'https://app.example.com/callback', code: secret, code_verifier: secret },
  ...{ code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM', token_type: 'Bearer' },
  ...{ access_token: 'eyJhbGciOiJSUzI1NiJ9.e30.c2ln', expires_in: 900 },
  ...{ refresh_token: 'eyJhbGciOiJSUzI1NiJ9.e30.c2ln', refresh_expires_in: 604_800 },
  ...{ page: 1, page_size: 20, limit: 50, total: 1, target_type: 'user', target_id: bob },
  ...{ csv: 'email,workspace_slug,role\nbob@example.com,example,editor\n', columns: 'email' },
  ...{ line: 2, field: 'role', from: 'viewer', to: 'editor', omitted: 0 },
  ...{
    message: 'must be an e-mail address',
    workspace_name: 'Example',
    subject: '1042',
    day: '2026-11-21',
    detail: { role: 'editor' },
  },
  ...{ key: 'dk_c2VjcmV0', key_prefix: 'dk_c2Vj', overlap_seconds: 86_400, user_agent: 'Firefox' },
  ...{
    issuer: 'https://auth.example.com',
    jwks_uri: 'https://auth.example.com/.well-known/jwks.json',
  },
  ...{ kty: 'RSA', use: 'sig', alg: 'RS256', kid: secret, n: secret, e: 'AQAB' },
  ...{ actions: 'publish', token_endpoint: 'https://auth.example.com/auth/token' },
  ...{ response_types_supported: 'code', subject_types_supported: 'public' },
  ...{ id_token_signing_alg_values_supported: 'RS256', code_challenge_methods_supported: 'S256' },
  ...{ token_endpoint_auth_methods_supported: 'none', claims_supported: 'sub' },
  ...{ update: 0, unchanged: 0 },
  'CsvImportSummary.errors': 0,
  'CsvImportRow.errors': [],
  'CsvImportRow.action': 'create',
  'ActivityEntry.action': 'member.invited',
  'Acknowledgement.status': 'ok',
  'AdminLogoutResponse.status': 'ok',
  'AdminMe.is_admin': true,
}

/** They say where to go on, as an answer before has told; nobody begins with them. */
const later = ['page_token', 'next_page_token', 'before', 'next_before', 'error']

/** The maker over the schemas that references lead to, by name. */
export function createExampleMaker(schemas: Record<string, JsonSchema>): ExampleMaker {
  return make

  function make(schema: JsonSchema, name = '', within = ''): unknown {
    const message = String(schema.$ref ?? '')
      .split('/')
      .at(-1)
    if (message) return make(schemas[message] as JsonSchema, name, message)
    const [likeliest] = (schema.anyOf ?? []) as JsonSchema[]
    if (likeliest) return later.includes(name) ? null : make(likeliest, name, within)
    if (schema.type === 'array')
      return values[`${within}.${name}`] ?? [make(schema.items as JsonSchema, name, within)]
    if (schema.type === 'object') return makeObject(schema, within)
    return makeScalar(schema, name, within)
  }

  function makeObject({ properties = {}, required = [] }: JsonSchema, within: string): object {
    const fields = Object.entries(properties as Record<string, JsonSchema>)
    const shown = fields.filter(
      ([name]) => !later.includes(name) || (required as string[]).includes(name),
    )
    return Object.fromEntries(shown.map(([name, schema]) => [name, make(schema, name, within)]))
  }
}

function makeScalar(schema: JsonSchema, name: string, within: string): unknown {
  const known = values[`${within}.${name}`] ?? values[name]
  const choices = schema.enum as unknown[] | undefined
  if (choices) return choices.includes(known) ? known : choices[0]
  if (known !== undefined && (typeof known === schema.type || fits(known, schema))) return known
  if (schema.format === 'date-time') return moment
  if (schema.type === 'integer') return schema.default ?? schema.minimum ?? 1
  if (schema.type === 'boolean') return schema.default ?? true
  if (schema.type === undefined) return {}
  const isId = schema.format === 'uuid' || /(^|_)ids?$/.test(name)
  return isId ? id('10') : (schema.default ?? name.replaceAll('_', ' '))
}

function fits(value: unknown, { type }: JsonSchema): boolean {
  return type === undefined || (type === 'integer' && Number.isInteger(value))
}
