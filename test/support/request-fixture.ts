import { randomUUID } from 'node:crypto'
import type { DescField, DescMessage } from '@bufbuild/protobuf'
import type { DeclaredOperation } from '../../src/rpc/operation.ts'
import { createAdmin } from './admin.ts'
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
  const session = await createSession(environment, people.owner, workspace)
  const account = await createAccounts(environment, people.owner)
  const otherAccount = await createAccounts(environment, otherFixture.people.owner)
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
  // Creates separate apps, because requests may delete them, and the fixture needs its own.
  const serviceApp = await environment.seed.serviceApp(`s-${randomUUID()}`)
  const clientUri = `https://app.example.com/${randomUUID()}`
  const clientApp = await environment.seed.clientApp([clientUri], { type: 'confidential' })

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
  const values: Values = {
    ...check,
    resources: [registration],
    checks: [check],
    permission_id: record.id,
    visibility: 'workspace',
    permission: 'edit',
    parent: { resource_type: parent.resource_type, resource_id: parent.resource_id },
    inherits: true,
    workspace_id: workspace,
    group_id: group,
    child_id: childGroup,
    user_id: people.viewer.id,
    grantee_type: 'user',
    grantee_id: people.editor.id,
    owner_id: people.editor.id,
    session_id: session,
    account_id: account,
    role: 'editor',
    limit: 10,
    name: `n-${randomUUID()}`,
    slug: `s-${randomUUID()}`,
    description: 'new',
    actions: [{ name: 'publish' }],
    role_id: role,
    service_action_id: action,
    service_action_ids: [action],
    ids: [workspace],
    service_app_id: serviceApp.id,
    client_app_id: clientApp,
    redirect_uris: [clientUri],
    post_logout_redirect_uris: [clientUri],
    backchannel_logout_uri: clientUri,
    csv: `email,workspace_slug\n${randomUUID()}@example.com,w-${workspace}\n`,
    email: `${randomUUID()}@example.com`,
    avatar_url: 'https://example.com/new.png',
  }
  /** Values for methods in which a field has another meaning or a value can be used only once. */
  const overrides: Record<string, () => Values> = {
    register: () => ({ resource_id: randomUUID() }),
    registerBatch: () => ({ resources: [{ ...registration, resource_id: randomUUID() }] }),
    // Restricts lists of all users and workspaces to those of the fixture.
    listUsers: () => ({ q: people.viewer.id }),
    listWorkspaces: () => ({ q: workspace }),
    // The user of the session.
    endUserSession: () => ({ user_id: people.owner.id }),
    // A user who is not a member yet.
    addUserToWorkspace: () => ({ user_id: otherFixture.people.viewer.id }),
    listPermissions: () => ({ owner_id: people.owner.id, visibility: 'private' }),
    evaluate: () => evaluation,
    evaluateBatch: () => ({ ...evaluation, evaluations: [{}] }),
    searchSubjects: () => evaluation,
    searchResources: () => evaluation,
    searchActions: () => evaluation,
    introspectToken: () => ({ token: people.viewer.token }),
    createClientApp: () => ({ type: 'public' }),
    updateClientApp: () => ({ type: 'confidential' }),
    listActivity: () => ({ action: 'group.created', target_type: 'group' }),
  }
  return {
    fixture,
    otherFixture,
    admin,
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
      { policy: { tier } }: DeclaredOperation,
      { token } = people.owner,
    ): PresentedCredentials => ({
      ...((tier === 'user' || tier === 'dual') && { token }),
      ...((tier === 'service' || tier === 'dual') && { key }),
      ...(tier === 'admin' && { admin: admin.token }),
    }),
    /** Returns IDs of objects that the caller must not access, each with the related fields. */
    foreignIds: (field: string, { policy, route }: DeclaredOperation): Values[] => {
      // A service can access every workspace, but no resources of other services.
      const records =
        policy.tier === 'service' ? [foreignRecord] : [crossWorkspaceRecord, foreignRecord]
      const known: Record<string, Values[]> = {
        workspace_id: [{ workspace_id: otherFixture.workspace }],
        group_id: [{ group_id: otherGroup }],
        child_id: [{ child_id: otherGroup }],
        user_id: [{ user_id: otherFixture.people.viewer.id }],
        owner_id: [{ owner_id: otherFixture.people.viewer.id }],
        session_id: [{ session_id: otherSession }],
        account_id: [{ account_id: otherAccount }],
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

function placeholder({ name, fieldKind, scalar }: DescField): unknown {
  if (fieldKind === 'list') return []
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
