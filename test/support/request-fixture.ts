import { randomUUID } from 'node:crypto'
import type { DescField, DescMessage } from '@bufbuild/protobuf'
import type { DeclaredOperation } from '../../src/rpc/operation.ts'
import { signAccountToken } from './account-page.ts'
import { createAdmin } from './admin.ts'
import { insertDelegation } from './delegation-rows.ts'
import { expectOk } from './outcome.ts'
import { seedConnection, seedScimToken } from './scim.ts'
import { startStubIssuer } from './stub-issuer.ts'
import type { TestEnvironment } from './test-environment.ts'
import type { PresentedCredentials, Transport } from './transports.ts'
import { createWorkspaceFixture, type Member, type WorkspaceFixture } from './workspace-fixture.ts'

type Values = Record<string, unknown>

/**
 * Values for the fields of every declared method, and matching objects in another workspace. Tests
 * that iterate over all methods build their requests from it, so they cover methods that are added
 * later.
 */
export type RequestFixture = Awaited<ReturnType<typeof createRequestFixture>>

/** The same for all fixtures, so that the entries of their activity logs are comparable. */
const issuer = await startStubIssuer()

/** Returns the short name of a method, `Check` for `daikon.v1.PermissionService/Check`. */
export const methodName = ({ name }: DeclaredOperation) => name.split('/')[1] as string

/** Creates a workspace fixture with one object of each kind, and another workspace fixture. */
export async function createRequestFixture(environment: TestEnvironment, transport: Transport) {
  const [fixture, otherFixture, admin] = await Promise.all([
    createWorkspaceFixture(environment, transport),
    createWorkspaceFixture(environment, transport),
    createAdmin(environment),
  ])
  const { workspace, people, key, kind } = fixture
  const group = await createGroup(environment, fixture)
  const otherGroup = await createGroup(environment, otherFixture)
  const childGroup = await environment.seed.group(workspace)
  await environment.seed.childGroup(workspace, group, childGroup)
  const record = await fixture.register(people.owner)
  await fixture.share(people.owner, record, { user: people.editor.id }, 'view')
  const parent = await fixture.register(people.owner)
  const joinedWorkspace = await environment.seed.workspace()
  await environment.seed.member(joinedWorkspace, people.owner.id)
  const invitation = await createInvitation(environment, people.owner)
  const otherInvitation = await createInvitation(environment, people.owner)
  const accountTokens = await createAccountTokens(environment, [fixture, otherFixture])
  const session = await createSession(environment, people.owner, workspace)
  const account = await createAccounts(environment, people.owner)
  const otherAccount = await createAccounts(environment, otherFixture.people.owner)
  const passkey = await createPasskey(environment, people.owner)
  const otherPasskey = await createPasskey(environment, otherFixture.people.owner)
  const grant = await seedGrant(environment, people.owner.id, workspace)
  const delegation = await seedDelegation(environment, people.owner.id, workspace)
  const otherDelegation = await seedDelegation(
    environment,
    otherFixture.people.owner.id,
    otherFixture.workspace,
  )
  const otherGrant = await seedGrant(
    environment,
    otherFixture.people.owner.id,
    otherFixture.workspace,
  )
  const otherSession = await createSession(
    environment,
    otherFixture.people.owner,
    otherFixture.workspace,
  )
  const foreignRegistration = {
    workspace_id: otherFixture.workspace,
    owner_id: otherFixture.people.viewer.id,
  }
  // Resources in the other workspace: one of the fixture's service and one of the other service.
  const crossWorkspaceRecord = await fixture.register(
    otherFixture.people.viewer,
    foreignRegistration,
  )
  const foreignRecord = await otherFixture.register(otherFixture.people.viewer, foreignRegistration)

  const action = await environment.seed.serviceAction(fixture.service, `a-${randomUUID()}`)
  const role = await environment.seed.customRole(workspace, [action], [people.viewer.id])
  // Not by a call, because its event would be one of the first changes.
  await environment.pool.query(
    'insert into custom_role_groups (role_id, workspace_id, group_id) values ($1, $2, $3)',
    [role, workspace, childGroup],
  )
  const otherAction = await environment.seed.serviceAction(fixture.service, `a-${randomUUID()}`)
  const otherRole = await environment.seed.customRole(
    otherFixture.workspace,
    [action],
    [otherFixture.people.viewer.id],
  )
  // Not by calls, because their events would be among the first changes.
  const createLink = async ({ resource_id }: { resource_id: string }) => {
    const { rows } = await environment.pool.query(
      `insert into resource_links (id, token_hash, kind_id, resource_id, workspace_id, permission)
       select gen_random_uuid(), gen_random_uuid(), kind_id, resource_id, workspace_id, 'view'
       from resources where resource_id = $1 returning id`,
      [resource_id],
    )
    return rows[0].id as string
  }
  const link = await createLink(record)
  const otherLink = await createLink(foreignRecord)
  const openRoute = { methods: [], path: '/', allow: 'anyone' }
  const ownRoutes = { service_name: fixture.service, routes: [openRoute] }
  expectOk(await transport.call('PutRoutes', ownRoutes, { key }))
  // Not by a call, because its event would be one of the first changes.
  await environment.pool.query(
    `insert into resource_types (kind_id, id, description)
     select id, gen_random_uuid(), '' from resource_kinds
     where service_name = $1 and resource_type = $2`,
    [kind.service_name, kind.resource_type],
  )
  const serviceAccount = await seedServiceAccount(environment, workspace)
  const otherServiceAccount = await seedServiceAccount(environment, otherFixture.workspace)
  const apiKey = await seedApiKey(environment, serviceAccount)
  const otherApiKey = await seedApiKey(environment, otherServiceAccount)
  // Creates separate apps, because requests may delete them, and the fixture needs its own.
  const serviceApp = await environment.seed.serviceApp(`s-${randomUUID()}`)
  const managementApp = await seedManagementApp(environment)
  const clientUri = `https://app.example.com/${randomUUID()}`
  const clientApp = await environment.seed.clientApp([clientUri], { type: 'confidential' })

  const apiScope = { name: 'documents:read', description: 'Read your documents' }
  const webhook = await environment.seed.webhook('http://127.0.0.1:9/')
  const delivery = await environment.seed.webhookDelivery(webhook)
  const connection = await environment.seed.connection(workspace, issuer)
  const connectionSettings = { client_id: 'daikon', client_secret: 'secret', scopes: ['email'] }
  const otherConnection = await environment.seed.connection(otherFixture.workspace, issuer)
  const domain = `${connection}.example`
  const token = await environment.seed.connectionDomain(connection, workspace, domain)
  for (const id of [workspace, otherFixture.workspace]) await seedDirectory(environment, id)
  environment.dns.records.set(domain, [`daikon-verification=${token}`])

  const registration = {
    ...kind,
    resource_id: record.resource_id,
    workspace_id: workspace,
    owner_id: people.owner.id,
  }
  const check = { ...kind, resource_id: record.resource_id, action: 'view' }
  const evaluation = {
    subject: { type: 'user', id: people.viewer.id },
    action: { name: 'view' },
    resource: { type: kind.resource_type, id: record.resource_id },
  }
  const sharedWith = {
    grantee_type: 'user',
    grantee_id: people.editor.id,
    permission: 'edit',
  }
  const values: Values = {
    ...check,
    resources: [registration],
    shares: [{ permission_id: record.id, ...sharedWith }],
    checks: [check],
    permission_id: record.id,
    visibility: 'workspace',
    permission: 'edit',
    parent: { resource_type: parent.resource_type, resource_id: parent.resource_id },
    inherits: true,
    attributes: { blocked: true },
    display_name: `d-${randomUUID()}`,
    workspace_id: workspace,
    group_id: group,
    child_id: childGroup,
    user_id: people.viewer.id,
    user_ids: [people.viewer.id],
    is_admin: false,
    grantee_type: 'user',
    grantee_id: people.editor.id,
    owner_id: people.editor.id,
    session_id: session,
    account_id: account,
    provider: 'google',
    enabled: true,
    passkey_id: passkey,
    grant_id: grant,
    delegation_id: delegation,
    agent: { type: 'service_account', id: serviceAccount },
    agent_id: serviceAccount,
    credential: {
      id: 'AA',
      type: 'public-key',
      response: {
        clientDataJSON: 'e30',
        attestationObject: 'oA',
        authenticatorData: 'AA',
        signature: 'AA',
        userHandle: 'AA',
      },
    },
    role: 'editor',
    limit: 10,
    reason: 'Examine a ticket',
    minutes: 60,
    if_match: '*',
    name: `n-${randomUUID()}`,
    slug: `s-${randomUUID()}`,
    support_access: undefined,
    email_sign_in: undefined,
    third_party_clients: undefined,
    delegations: undefined,
    description: 'new',
    actions: [{ name: 'publish' }],
    roles: [{ name: 'triage', actions: ['view'] }],
    conditions: [{ name: 'small', expression: 'true' }],
    requirements: [],
    dry_run: false,
    routes: [openRoute, { methods: ['GET'], path: '/documents/{id}', allow: 'authenticated' }],
    method: 'GET',
    uri: '/',
    role_id: role,
    service_account_id: serviceAccount,
    expires_in: 3600,
    key_id: apiKey,
    link_id: link,
    service_action_id: action,
    service_action_ids: [action],
    ids: [workspace],
    service_app_id: serviceApp.id,
    client_app_id: clientApp,
    management_app_id: managementApp,
    scopes: ['users:read'],
    connection_id: connection,
    domain,
    domains: [domain],
    default_role: 'editor',
    enforced: false,
    break_glass: true,
    mapping: { roles: {}, groups: {} },
    webhook_id: webhook,
    delivery_id: delivery,
    url: 'http://127.0.0.1:9/',
    events: ['member.*'],
    redirect_uris: [clientUri],
    api_resources: [{ uri: `${clientUri}/api`, name: 'API', scopes: [apiScope] }],
    post_logout_redirect_uris: [clientUri],
    backchannel_logout_uri: clientUri,
    csv: `email,workspace_slug\n${randomUUID()}@example.com,w-${workspace}\n`,
    email: `${randomUUID()}@example.com`,
    avatar_url: 'https://example.com/new.png',
    expression: "action == 'view'",
  }
  /** Values for methods in which a field has another meaning or a value can be used only once. */
  const overrides: Record<string, () => Values> = {
    register: () => ({ resource_id: randomUUID() }),
    registerBatch: () => ({ resources: [{ ...registration, resource_id: randomUUID() }] }),
    createDelegation: () => ({
      actions: { values: ['view'] },
      resource_types: undefined,
      resources: undefined,
      expires_at: new Date(Date.now() + 3_600_000).toISOString(),
    }),
    createConnection: () => ({ ...connectionSettings, issuer }),
    discoverIssuer: () => ({ issuer }),
    listGrants: () => ({ host: `${grant}.example.com`, resource: undefined }),
    deleteGrants: () => ({ host: `${grant}.example.com`, client_id: undefined }),
    updateConnection: () => ({ ...connectionSettings, issuer: undefined }),
    // Restricts lists of all users and workspaces to the fixture's.
    listUsers: () => ({ q: people.viewer.id }),
    listWorkspaces: () => ({ q: workspace }),
    searchNames: () => ({ q: people.viewer.id }),
    acceptInvitation: () => ({ workspace_id: invitation }),
    declineInvitation: () => ({ workspace_id: otherInvitation }),
    // Not the workspace of the fixture, whose last owner cannot leave.
    leaveWorkspace: () => ({ workspace_id: joinedWorkspace }),
    // The user of the session.
    endUserSession: () => ({ user_id: people.owner.id }),
    // The user of the passkey.
    deleteUserPasskey: () => ({ user_id: people.owner.id }),
    // A user who is not a member yet.
    giveSupportAccess: () => ({ user_id: otherFixture.people.viewer.id }),
    updateUsers: () => ({ is_active: true }),
    addMembers: () => ({ user_ids: [otherFixture.people.viewer.id] }),
    addUserToWorkspace: () => ({ user_id: otherFixture.people.viewer.id }),
    listPermissions: () => ({ owner_id: people.owner.id, visibility: 'private' }),
    // A service account has no redirect URI, and a delegation one list at least.
    previewDelegation: () => ({
      return_to: undefined,
      actions: { values: ['view'] },
      resource_types: undefined,
      resources: undefined,
    }),
    // The user of the other values has made no delegation.
    explainPermission: () => ({ delegation_id: undefined }),
    whatIf: () => ({ subject: { type: 'user', id: people.viewer.id }, with: [] }),
    getAccessKeys: () => ({ subject: evaluation.subject }),
    evaluate: () => evaluation,
    evaluateBatch: () => ({ ...evaluation, evaluations: [{}] }),
    searchSubjects: () => evaluation,
    searchResources: () => evaluation,
    searchActions: () => evaluation,
    // `role` is the role of a member elsewhere.
    share: () => ({ role: undefined }),
    createLink: () => ({ role: undefined }),
    revokeShare: () => ({ role: undefined }),
    removeRoleGroup: () => ({ group_id: childGroup }),
    introspectToken: () => ({ token: people.viewer.token }),
    // Another service app cannot have the same API.
    createServiceApp: () => ({
      api_resources: [
        { uri: `https://${randomUUID()}.example.com`, name: 'API', scopes: [apiScope] },
      ],
    }),
    // A bound app cannot share the redirect URI of the other client apps.
    createClientApp: () => ({
      type: 'public',
      workspace_id: undefined,
      service_account_id: undefined,
    }),
    updateClientApp: () => ({ type: 'confidential', workspace_id: undefined }),
    listActivity: () => ({ action: 'group.created', target_type: 'group' }),
    listWorkspaceActivity: () => ({ action: 'group.created', target_type: 'group' }),
  }
  return {
    fixture,
    otherFixture,
    admin,
    /** The owner's token of the account page. */
    accountToken: accountTokens.get(people.owner.token) as string,
    group,
    otherGroup,
    record,
    crossWorkspaceRecord,
    foreignRecord,
    session,
    otherSession,
    values,
    /** Creates a valid message for the method. */
    message: (operation: DeclaredOperation): Values => {
      const own = { ...values, ...overrides[operation.key]?.() }
      // If a request can identify a resource in two ways, uses the first one.
      for (const field of operation.route.excludedFields) own[field] = undefined
      return fill(operation, operation.input, own)
    },
    credentials: (
      { policy: { tier, credentials } }: DeclaredOperation,
      { token: userToken } = people.owner,
    ): PresentedCredentials => {
      const isAccountPage = credentials.flat().includes('account_page')
      const token = isAccountPage ? (accountTokens.get(userToken) as string) : userToken
      return {
        ...((tier === 'user' || tier === 'dual') && { token }),
        ...((tier === 'service' || tier === 'dual') && { key }),
        ...(tier === 'admin' && { admin: admin.token }),
      }
    },
    /** Returns IDs of objects that the caller must not access, each with the related fields. */
    foreignIds: (field: string, { policy, route }: DeclaredOperation): Values[] => {
      // A service can access every workspace, but no resources of other services.
      const records =
        policy.tier === 'service' ? [foreignRecord] : [crossWorkspaceRecord, foreignRecord]
      const known: Record<string, Values[]> = {
        workspace_id: [{ workspace_id: otherFixture.workspace }],
        group_id: [{ group_id: otherGroup }],
        child_id: [{ child_id: otherGroup }],
        link_id: [{ link_id: otherLink }],
        user_id: [{ user_id: otherFixture.people.viewer.id }],
        user_ids: [{ user_ids: [otherFixture.people.viewer.id] }],
        owner_id: [{ owner_id: otherFixture.people.viewer.id }],
        session_id: [{ session_id: otherSession }],
        account_id: [{ account_id: otherAccount }],
        passkey_id: [{ passkey_id: otherPasskey }],
        grant_id: [{ grant_id: otherGrant }],
        delegation_id: [{ delegation_id: otherDelegation }],
        'agent.id': [{ agent: { type: 'service_account', id: otherServiceAccount } }],
        'resources.values.resource_id': records.map(({ resource_id }) => ({
          service_name: fixture.service,
          resources: { values: [{ resource_type: kind.resource_type, resource_id }] },
        })),
        agent_id: [{ agent_id: otherServiceAccount }],
        role_id: [{ role_id: otherRole }],
        // An identity provider has chosen it.
        client_id: [],
        connection_id: [{ connection_id: otherConnection }],
        service_account_id: [{ service_account_id: otherServiceAccount }],
        key_id: [{ key_id: otherApiKey }],
        service_action_id: [{ service_action_id: otherAction }],
        actor_id: [{ actor_id: otherFixture.people.viewer.id }],
        target_id: [{ target_id: otherGroup }],
        grantee_id: [
          { grantee_id: otherFixture.people.viewer.id, grantee_type: 'user' },
          { grantee_id: otherGroup, grantee_type: 'group' },
        ],
        permission_id: records.map(({ id }) => ({ permission_id: id })),
        resource_id: records.map(({ resource_id }) =>
          route.excludedFields.includes(field)
            ? { ...kind, resource_id, permission_id: undefined }
            : { resource_id },
        ),
        'parent.resource_id': [
          { parent: { ...kind, resource_id: crossWorkspaceRecord.resource_id } },
        ],
        'resources.owner_id': [
          {
            resources: [
              {
                ...registration,
                resource_id: randomUUID(),
                owner_id: otherFixture.people.viewer.id,
              },
            ],
          },
        ],
        'shares.permission_id': records.map(({ id }) => ({
          shares: [{ permission_id: id, ...sharedWith }],
        })),
        'shares.resource_id': records.map(({ resource_id }) => ({
          shares: [{ ...kind, resource_id, ...sharedWith }],
        })),
        'shares.grantee_id': [
          {
            shares: [
              {
                permission_id: record.id,
                ...sharedWith,
                grantee_id: otherFixture.people.viewer.id,
              },
            ],
          },
        ],
        // Resources of different services can have the same ID.
        'resources.resource_id': [
          { resources: [{ ...registration, resource_id: foreignRecord.resource_id }] },
        ],
        'resources.parent.resource_id': [
          {
            resources: [
              {
                ...registration,
                resource_id: randomUUID(),
                parent: { ...kind, resource_id: crossWorkspaceRecord.resource_id },
              },
            ],
          },
        ],
        'checks.resource_id': records.map(({ resource_id }) => ({
          checks: [{ ...check, resource_id }],
        })),
      }
      const found = known[field]
      if (!found)
        throw new Error(`test/support/request-fixture.ts has no foreign ID for the field ${field}`)
      return found
    },
  }
}

/** Returns the paths of a message's ID fields, such as `checks.resource_id`. */
export function idFields(message: DescMessage): string[] {
  // A Struct is recursive and can contain any JSON.
  if (message.typeName === 'google.protobuf.Struct') return []
  // Its resource_id is a template.
  if (message.typeName === 'daikon.v1.Route') return []
  return message.fields.flatMap((field) => {
    if (field.message) return idFields(field.message).map((path) => `${field.name}.${path}`)
    // External IDs can be any text and belong to the object itself.
    return /(?<!external)_ids?$/.test(field.name) ? [field.name] : []
  })
}

/**
 * Creates a message with placeholders in required fields, for calls that fail before validation.
 */
export function placeholderMessage({ input }: DeclaredOperation): Values {
  return Object.fromEntries(
    input.fields.filter(isRequired).map((field) => [field.name, placeholder(field)]),
  )
}

function placeholder({ name, fieldKind, scalar, message }: DescField): unknown {
  if (fieldKind === 'list') return []
  if (message?.typeName === 'google.protobuf.Timestamp') return new Date().toISOString()
  if (fieldKind === 'message') return {}
  return scalar === 9 ? (/_id$/.test(name) ? randomUUID() : 'x') : 1
}

function fill(operation: DeclaredOperation, message: DescMessage, values: Values): Values {
  const known = message.fields.filter(({ name }) => values[name] !== undefined)
  const missing = message.fields.find((field) => isRequired(field) && !known.includes(field))
  if (missing)
    throw new Error(
      `test/support/request-fixture.ts has no value for ${missing.name} of ${operation.name}`,
    )
  return Object.fromEntries(known.map(({ name }) => [name, values[name]]))
}

function isRequired(field: DescField): boolean {
  return !field.proto.proto3Optional
}

/** Creates a SCIM token, and the verified domain that it requires. */
async function seedDirectory(environment: TestEnvironment, workspace: string): Promise<void> {
  await seedConnection(environment, workspace, `${randomUUID()}.example.org`)
  await seedScimToken(environment, workspace)
}

/** Creates a service account without an event. Returns its ID. */
export async function seedServiceAccount(
  { pool }: Pick<TestEnvironment, 'pool'>,
  workspace: string,
): Promise<string> {
  const id = randomUUID()
  await pool.query(
    "insert into users (id, email, name, workspace_id) values ($1, null, 'robot', $2)",
    [id, workspace],
  )
  await pool.query(
    "insert into members (user_id, workspace_id, role, joined_at) values ($1, $2, 'editor', now())",
    [id, workspace],
  )
  return id
}

/** Creates an API key without an event. Returns its ID. */
export async function seedApiKey(
  { pool }: Pick<TestEnvironment, 'pool'>,
  account: string,
): Promise<string> {
  const id = randomUUID()
  await pool.query(
    "insert into api_keys (id, user_id, name, key_hash, key_prefix) values ($1, $2, 'key', $3, 'da_')",
    [id, account, id],
  )
  return id
}

/** Creates a management app without an event. Returns its ID. */
export async function seedManagementApp(
  { pool }: Pick<TestEnvironment, 'pool'>,
  { isActive = true } = {},
): Promise<string> {
  const id = randomUUID()
  await pool.query(
    "insert into management_apps (id, name, scopes, is_active) values ($1, 'app', '{users:read}', $2)",
    [id, isActive],
  )
  return id
}

async function createGroup(
  environment: TestEnvironment,
  { workspace, people }: WorkspaceFixture,
): Promise<string> {
  return environment.seed.group(workspace, [people.viewer.id, people.editor.id])
}

/** Links two accounts, because the last one cannot be unlinked. Returns the ID of one. */
async function createAccounts({ pool }: TestEnvironment, { id }: Member): Promise<string> {
  const { rows } = await pool.query(
    `insert into linked_accounts (provider, subject, user_id, email)
     select provider, gen_random_uuid(), $1, 'linked@example.com'
     from unnest(array['google', 'github']) provider returning id`,
    [id],
  )
  return rows[0].id
}

async function createPasskey({ pool }: TestEnvironment, { id }: Member): Promise<string> {
  const { rows } = await pool.query(
    `insert into linked_accounts (provider, subject, user_id, email, added_by)
     values ('passkey', gen_random_uuid(), $1, '', 'google') returning id`,
    [id],
  )
  await pool.query(
    `insert into passkeys (account_id, rp_id, public_key, counter, is_backup_eligible, is_backed_up,
       transports, name)
     values ($1, 'localhost', '', 0, false, false, '{}', 'Passkey')`,
    [rows[0].id],
  )
  return rows[0].id
}

/** Makes a user agree to the access of an app, without an event. Returns the ID of the grant. */
export async function seedGrant(
  { pool, seed }: Pick<TestEnvironment, 'pool' | 'seed'>,
  userId: string,
  workspace: string,
): Promise<string> {
  const client = await seed.clientApp([])
  const { rows } = await pool.query(
    `insert into consents (id, user_id, workspace_id, client_id, scopes, host, metadata_hash,
       created_at, last_used_at)
     select grant_id, $1, $2, $3, '{openid}', grant_id || '.example.com', '', now(), now()
     from gen_random_uuid() as grant_id returning id`,
    [userId, workspace, client],
  )
  return rows[0].id
}

/** Lets an agent act for a user, without an event. Returns the ID of the delegation. */
async function seedDelegation(
  { pool }: Pick<TestEnvironment, 'pool'>,
  user_id: string,
  workspace_id: string,
): Promise<string> {
  return insertDelegation(pool, { user_id, workspace_id, service_name: 'docs' })
}

/** Invites a user to another workspace without an event. Returns its ID. */
async function createInvitation({ seed }: TestEnvironment, { id }: Member): Promise<string> {
  const workspace = await seed.workspace()
  await seed.member(workspace, id, 'viewer', { joined_at: null })
  return workspace
}

/** Returns access tokens of the account page, by the token of each person, which belong to sessions of their own. */
async function createAccountTokens(
  environment: TestEnvironment,
  fixtures: WorkspaceFixture[],
): Promise<Map<string, string>> {
  const owners = fixtures.flatMap(({ people, workspace }) =>
    Object.values(people).map((person) => ({ person, workspace, jti: randomUUID() })),
  )
  await environment.pool.query(
    `with owner as (
       select gen_random_uuid() as id, user_id, workspace_id, jti
       from unnest($1::uuid[], $2::uuid[], $3::uuid[]) owner (user_id, workspace_id, jti)
     ), family as (
       insert into refresh_families
         (id, user_id, workspace_id, provider, created_at, last_used_at, expires_at)
       select id, user_id, workspace_id, 'google', now(), now(), now() + interval '1 day' from owner
     )
     insert into refresh_tokens (token_id, family_id, access_token_id, access_expires_at)
     select gen_random_uuid(), id, jti, now() + interval '1 day' from owner`,
    [
      owners.map(({ person }) => person.id),
      owners.map(({ workspace }) => workspace),
      owners.map(({ jti }) => jti),
    ],
  )
  const sign = async ({
    person,
    workspace,
    jti,
  }: (typeof owners)[0]): Promise<[string, string]> => [
    person.token,
    await signAccountToken(environment, person.id, workspace, 0, jti),
  ]
  return new Map(await Promise.all(owners.map(sign)))
}

async function createSession(
  { pool }: TestEnvironment,
  { id }: Member,
  workspace: string,
): Promise<string> {
  const session = randomUUID()
  await pool.query(
    `insert into refresh_families
       (id, user_id, workspace_id, provider, created_at, last_used_at, expires_at)
     values ($1, $2, $3, 'google', now(), now(), now() + interval '1 day')`,
    [session, id, workspace],
  )
  return session
}
