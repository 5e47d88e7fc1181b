import type { JsonSchema } from '../../rpc/schema.ts'

/**
 * Makes an example of a schema from the names of its field and message. The same schema always has
 * the same example.
 */
export type ExampleMaker = (schema: JsonSchema, field?: string, message?: string) => unknown

const exampleId = (end: string) => `0d000000-0000-7000-8000-${end.padStart(12, '0')}`
const exampleTime = '2026-11-21T12:00:00.000Z'
const alice = exampleId('a')
const bob = exampleId('b')
const agentId = exampleId('c')
/** An ID that the service uses, and the UUID that is derived from it. */
const handbook = { externalId: 'handbook', uuid: 'f11d9579-3d04-5f46-ba43-f778ae3f1d0b' }
const secret = 'c2VjcmV0-bWFkZS1vZi0zMi1yYW5kb20tYnl0ZXMtaGVyZQ'
const jwt = 'eyJhbGciOiJSUzI1NiJ9.e30.c2ln'

const triageRole = {
  name: 'triage',
  description: 'Sorts documents',
  actions: ['view', 'publish'],
}

const smallCondition = {
  name: 'small',
  description: 'Small amounts',
  expression: 'context.amount <= params.limit',
  parameters: { limit: 'int' },
}

const openRequirement = { action: 'edit', condition: 'open', inherited: true }

const openCondition = {
  name: 'open',
  description: 'Not archived',
  expression: '!has(resource.attributes.archived)',
  parameters: {},
}

const documentsApi = {
  uri: 'https://docs.example.com/mcp',
  name: 'Documents',
  scopes: [{ name: 'documents:read', description: 'Read your documents' }],
}

const openRoute = { methods: ['GET', 'HEAD'], path: '/', allow: 'anyone' }
const documentRoute = { path: '/documents/{id}', action: 'edit', resource_type: 'document' }

/**
 * Example values by field, or by `Message.field` where a field name has several meanings. The ids
 * come from the demo workspace (`npm run dev`), so that most examples work unchanged.
 */
const examples: Record<string, unknown> = {
  // ids
  workspace_id: exampleId('1'),
  group_id: exampleId('2'),
  client_app_id: exampleId('3'),
  user_id: bob,
  grantee_id: bob,
  target_id: bob,
  resource_id: handbook.uuid,
  resource_ids: handbook.uuid,
  owner_id: alice,
  granted_by: alice,
  created_by: alice,
  actor_id: alice,

  // permissions
  service_name: 'docs',
  resource_type: 'document',
  action: 'view',
  actions: 'publish',
  'AgentReference.id': agentId,
  'AgentReference.type': 'service_account',
  'DelegationAgent.id': agentId,
  'DelegationAgent.type': 'service_account',
  'DelegationAgent.name': 'Report bot',
  'Delegation.reason': 'Write the weekly report',
  'CreateDelegationRequest.reason': 'Write the weekly report',
  'Delegation.user_id': alice,
  'CreateDelegationRequest.resources': [{ resource_type: 'document', resource_id: handbook.uuid }],
  'PreviewDelegationRequest.resources': [{ resource_type: 'document', resource_id: handbook.uuid }],
  resource_types: 'document',
  permission: 'view',
  visibility: 'workspace',
  effective_visibility: 'workspace',
  display_name: 'Handbook',
  grantee_type: 'user',

  // people and workspaces
  name: 'Example',
  description: 'An example',
  email: 'bob@example.com',
  avatar_url: 'https://example.com/bob.png',
  is_admin: false,
  slug: 'example',
  workspace_name: 'Example',
  workspace_slug: 'example',
  role: 'editor',
  status: 'active',
  groups: 'writers',
  members: 3,
  workspaces: 1,
  resources: 3,
  subject: '1042',
  user_agent: 'Firefox',

  // gateways
  method: 'GET',
  uri: '/documents/roadmap?page=2',

  // lists
  q: 'bob',
  page: 1,
  page_size: 20,
  limit: 50,
  total: 1,
  day: '2026-11-21',

  // sign-in and tokens
  provider: 'google',
  redirect_uri: 'https://app.example.com/callback',
  redirect_uris: 'https://app.example.com/callback',
  'AuthorizeRequest.resource': 'https://docs.example.com/mcp',
  'OAuthTokenRequest.resource': 'https://docs.example.com/mcp',
  'ApiResource.uri': documentsApi.uri,
  'ServiceAppCreateRequest.api_resources': [documentsApi],
  'ServiceAppUpdateRequest.api_resources': [documentsApi],
  'ServiceAppResponse.api_resources': [documentsApi],
  'ServiceAppKeyResponse.api_resources': [documentsApi],
  code: secret,
  code_verifier: secret,
  code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
  access_token: jwt,
  token_type: 'Bearer',
  expires_in: 900,
  refresh_token: jwt,
  refresh_expires_in: 604_800,
  issuer: 'https://auth.example.com',
  jwks_uri: 'https://auth.example.com/.well-known/jwks.json',
  token_endpoint: 'https://auth.example.com/auth/token',
  response_types_supported: 'code',

  // OAuth 2.0 and OpenID Connect
  client_id: exampleId('3'),
  response_type: 'code',
  scope: 'openid email',
  state: secret,
  nonce: secret,
  code_challenge_method: 'S256',
  prompt: 'login',
  max_age: '3600',
  login_hint: 'bob@example.com',
  id_token_hint: jwt,
  response_mode: 'query',
  workspace: 'demo',
  grant_type: 'authorization_code',
  token: jwt,
  token_type_hint: 'refresh_token',
  post_logout_redirect_uri: 'https://app.example.com/',
  post_logout_redirect_uris: 'https://app.example.com/',
  subject_types_supported: 'public',
  id_token_signing_alg_values_supported: 'RS256',
  code_challenge_methods_supported: 'S256',
  token_endpoint_auth_methods_supported: 'none',
  claims_supported: 'sub',
  kty: 'RSA',
  use: 'sig',
  alg: 'RS256',
  kid: secret,
  n: secret,
  e: 'AQAB',

  // administration
  target_type: 'user',
  detail: { role: 'editor' },
  key: 'dk_c2VjcmV0',
  scopes: 'workspaces:write',
  reason: 'Examine a ticket',
  minutes: 60,
  'ManagementAppResponse.client_id': exampleId('4'),
  'NewScimToken.token': 'ds_c2VjcmV0',
  'ScimTokenResponse.prefix': 'ds_c2VjcmV',
  'ManagementAppResponse.client_secret': 'dm_c2VjcmV0',
  'ManagementAppResponse.secret_prefix': 'dm_c2Vjcm',
  key_prefix: 'dk_c2Vj',
  overlap_seconds: 86_400,
  csv: 'email,workspace_slug,role\nbob@example.com,example,editor\n',
  columns: 'email',
  line: 2,
  field: 'role',
  from: 'viewer',
  to: 'editor',
  message: 'must be an e-mail address',
  omitted: 0,
  update: 0,
  unchanged: 0,

  'RegisterBatchRequest.resources': [
    {
      service_name: 'docs',
      resource_type: 'document',
      external_id: 'q3-report',
      workspace_id: exampleId('1'),
      owner_id: exampleId('a'),
      parent: { resource_type: 'folder', external_id: 'reports' },
    },
    {
      service_name: 'docs',
      resource_type: 'folder',
      external_id: 'reports',
      workspace_id: exampleId('1'),
      owner_id: exampleId('a'),
    },
  ],
  'ShareBatchRequest.shares': [
    {
      service_name: 'docs',
      resource_type: 'document',
      external_id: 'q3-report',
      grantee_email: 'bob@example.com',
      permission: 'edit',
    },
    { permission_id: exampleId('10'), group_name: 'writers', role: 'triage' },
  ],
  'PutRoutesRequest.routes': [openRoute, documentRoute],
  'ServiceRoutes.routes': [
    { ...openRoute, action: null, resource_type: null, resource_id: null },
    { methods: [], ...documentRoute, allow: null, resource_id: '{id}' },
  ],
  'ServiceRoutes.warnings': [],
  'UpdateParentRequest.parent': { resource_type: 'document', external_id: 'roadmap' },
  'UpdateParentRequest.detach': false,
  'RegisterResourceRequest.attributes': { department: 'legal' },
  'UpdateAttributesRequest.attributes': { department: 'legal', draft: null },
  'ResourcePermissionResponse.attributes': { department: 'legal' },
  'PutResourceTypeRequest.roles': [triageRole],
  'ResourceType.roles': [triageRole],
  'PutResourceTypeRequest.conditions': [smallCondition, openCondition],
  'PutResourceTypeRequest.requirements': [openRequirement],
  'ResourceType.conditions': [smallCondition, openCondition],
  'ResourceType.requirements': [openRequirement],
  'ResourceType.conditions_used': null,
  'ShareRequest.condition': { name: 'small', params: { limit: 100 } },
  'ShareResponse.condition': { name: 'small', params: { limit: 100 } },
  'ResourceType.roles_used': null,
  'ResourceType.resources': null,
  'ResourceType.resources_below': null,
  'CsvImportSummary.errors': 0,
  'CsvImportRow.errors': [],
  'CsvImportRow.action': 'create',
  'ActivityEntry.action': 'member.invited',
  'Acknowledgement.status': 'ok',
  'AdminLogoutResponse.status': 'ok',
  'AdminMe.is_admin': true,

  // passkeys
  'PasskeyResponse.name': 'iCloud Keychain',
  'PasskeyResponse.transports': ['internal', 'hybrid'],
  'UpdatePasskeyRequest.name': 'Laptop',
  'CreatePasskeyRequest.name': 'Laptop',
  'BeginPasskeyResponse.options': {
    challenge: 'Y2hhbGxlbmdl',
    rp: { id: 'auth.example.com', name: 'auth.example.com' },
    user: { id: 'aGFuZGxl', name: 'bob@example.com', displayName: 'Bob' },
    pubKeyCredParams: [{ alg: -7, type: 'public-key' }],
    attestation: 'none',
    excludeCredentials: [],
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    timeout: 300_000,
  },
  'CreatePasskeyRequest.credential': {
    id: 'Y3JlZGVudGlhbA',
    type: 'public-key',
    response: { clientDataJSON: 'e30', attestationObject: 'oA', transports: ['internal'] },
  },
  'BeginPasskeySignInResponse.options': {
    challenge: 'Y2hhbGxlbmdl',
    rpId: 'auth.example.com',
    userVerification: 'required',
    timeout: 300_000,
  },
  'CompletePasskeySignInRequest.credential': {
    id: 'Y3JlZGVudGlhbA',
    type: 'public-key',
    response: {
      clientDataJSON: 'e30',
      authenticatorData: 'AA',
      signature: 'MEQ',
      userHandle: 'aGFuZGxl',
    },
  },
  'CompletePasskeySignInResponse.location':
    'https://auth.example.com/auth/callback/passkey?state=c3RhdGU&code=Y29kZQ',

  ...accessExamples(),
}

/** Examples by message, because the Access API gives different objects the same field names. */
function accessExamples(): Record<string, unknown> {
  const subject = { type: 'user', id: 'bob@example.com' }
  const action = { name: 'view' }
  const resource = { type: 'document', id: handbook.externalId }
  return {
    'EvaluateRequest.subject': subject,
    'EvaluateRequest.action': action,
    'EvaluateRequest.resource': resource,
    'EvaluateRequest.context': { explain: true },
    'EvaluateBatchRequest.subject': subject,
    'EvaluateBatchRequest.action': action,
    'EvaluateBatchRequest.resource': resource,
    'EvaluateBatchRequest.context': {},
    'EvaluateBatchRequest.evaluations': [{}, { action: { name: 'edit' } }],
    'EvaluateBatchRequest.options': { evaluations_semantic: 'execute_all' },
    'SearchSubjectsRequest.subject': { type: 'user' },
    'SearchSubjectsRequest.action': action,
    'SearchSubjectsRequest.resource': resource,
    'SearchSubjectsRequest.context': {},
    'SearchSubjectsRequest.page': { limit: 50 },
    'SearchResourcesRequest.subject': subject,
    'SearchResourcesRequest.action': action,
    'SearchResourcesRequest.resource': { type: 'document' },
    'SearchResourcesRequest.context': { workspace_id: exampleId('1') },
    'SearchResourcesRequest.page': { limit: 50 },
    'SearchActionsRequest.subject': subject,
    'WhatIfRequest.subject': subject,
    'WhatIfRequest.with': [
      { share: { grantee_type: 'user', grantee_id: bob, permission: 'view' } },
      { membership: { role: 'editor' } },
    ],
    'WhatIfRequest.context': {},
    'SearchActionsRequest.resource': resource,
    'SearchActionsRequest.context': {},
    'SearchActionsRequest.page': { limit: 50 },
    'Evaluation.context': {
      reasons: [{ rule: 'workspace_visibility' }],
      reason_admin: {
        en: 'Bob may view document "Handbook": the document is visible to the workspace for viewing.',
      },
    },
    'EvaluateBatchResponse.context': {},
    'SearchPageInfo.next_token': '',
    'SearchPageInfo.count': 1,
    'AccessEntity.type': 'user',
    'AccessEntity.properties': {},
    'AccessEntity.id': 'bob',
    'AllowedAction.name': 'view',
    'AccessConfiguration.policy_decision_point': 'https://auth.example.com',
    external_id: 'bob',
    'RegisterResourceRequest.external_id': handbook.externalId,
    'ResourcePermissionResponse.external_id': handbook.externalId,
    'PermissionSummary.external_id': handbook.externalId,
  }
}

/**
 * Optional fields that examples omit, because their values come from an earlier response or exclude
 * another field.
 */
const omittedFields = [
  'page_token',
  'next_page_token',
  'before',
  'next_before',
  'error',
  'parent',
  'visible_through',
  'owner_email',
  'owner_external_id',
  'grantee_email',
  'grantee_external_id',
  'group_name',
]

/** Like `omittedFields`, for one message. */
const omittedInMessages = [
  'RegisterResourceRequest.resource_id',
  'UpdateResourceRequest.remove_display_name',
  'CreateLinkRequest.role',
  'UpdateMembersRequest.remove',
]

/** Creates the example maker. `schemas` are the named schemas that `$ref`s refer to. */
export function createExampleMaker(schemas: Record<string, JsonSchema>): ExampleMaker {
  return makeExample

  function makeExample(schema: JsonSchema, field = '', message = ''): unknown {
    if (schema.$ref) {
      const name = String(schema.$ref).split('/').at(-1) ?? ''
      return examples[`${message}.${field}`] ?? makeExample(schemas[name] as JsonSchema, '', name)
    }
    const [alternative] = (schema.anyOf ?? []) as JsonSchema[]
    if (alternative) {
      const isOmitted = omittedFields.includes(field) && !examples[`${message}.${field}`]
      return isOmitted ? null : makeExample(alternative, field, message)
    }
    const type = typeOf(schema)
    if (type === 'array') {
      const list = examples[`${message}.${field}`]
      return list ?? [makeExample(schema.items as JsonSchema, field, message)]
    }
    const example = examples[`${message}.${field}`]
    if (type === 'object') return example ?? makeObject(schema, message)
    return makeScalar(schema, field, message)
  }

  function makeObject({ properties = {}, required = [] }: JsonSchema, message: string): object {
    const isShown = (name: string) =>
      (!omittedFields.includes(name) && !omittedInMessages.includes(`${message}.${name}`)) ||
      (required as string[]).includes(name) ||
      examples[`${message}.${name}`] !== undefined
    const fields = Object.entries(properties as Record<string, JsonSchema>).filter(([name]) =>
      isShown(name),
    )
    return Object.fromEntries(
      fields.map(([name, schema]) => [name, makeExample(schema, name, message)]),
    )
  }
}

function makeScalar(schema: JsonSchema, field: string, message: string): unknown {
  const example = examples[`${message}.${field}`] ?? examples[field]
  const choices = schema.enum as unknown[] | undefined
  if (choices) return choices.includes(example) ? example : choices[0]
  if (field === 'resource_id' && takesExternalId(schema)) return handbook.externalId
  if (example !== undefined && hasType(example, schema)) return example
  if (schema.format === 'date-time') return exampleTime
  const type = typeOf(schema)
  if (type === 'integer') return schema.default ?? Math.max(Number(schema.minimum ?? 1), 0)
  if (type === 'boolean') return schema.default ?? true
  if (type === undefined) return {}
  const isId = schema.format === 'uuid' || /(^|_)ids?$/.test(field)
  return isId ? exampleId('10') : (schema.default ?? field.replaceAll('_', ' '))
}

/** Whether a field takes the ID that the service uses, of at most 255 characters, or a UUID. */
function takesExternalId({ maxLength }: JsonSchema): boolean {
  return maxLength === 255
}

function hasType(value: unknown, schema: JsonSchema): boolean {
  const type = typeOf(schema)
  if (type === undefined) return true
  return type === 'integer' ? Number.isInteger(value) : typeof value === type
}

/** Returns the type without `null`, which is the second type of nullable fields. */
function typeOf({ type }: JsonSchema): unknown {
  return Array.isArray(type) ? type[0] : type
}
