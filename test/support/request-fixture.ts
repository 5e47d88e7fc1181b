import { randomUUID } from 'node:crypto'
import type { DescField, DescMessage } from '@bufbuild/protobuf'
import type { DeclaredOperation } from '../../src/rpc/operation.ts'
import { createAdmin } from './admin.ts'
import type { TestEnvironment } from './test-environment.ts'
import type { Outcome, PresentedCredentials, Transport } from './transports.ts'
import { createWorkspaceFixture, type Member, type WorkspaceFixture } from './workspace-fixture.ts'

type Values = Record<string, unknown>

/**
 * Everything that a declared method may ask for, and as much again in another workspace: the sweeps
 * over all methods make their requests of it, so that a method added later is swept, too.
 */
export type RequestFixture = Awaited<ReturnType<typeof createRequestFixture>>

/** `Check` of `daikon.v1.PermissionService/Check`. */
export const methodName = ({ name }: DeclaredOperation) => name.split('/')[1] as string

/** Furnishes an fixture, and a stranger's. */
export async function createRequestFixture(environment: TestEnvironment, transport: Transport) {
  const [fixture, stranger, admin] = await Promise.all([
    createWorkspaceFixture(environment, transport),
    createWorkspaceFixture(environment, transport),
    createAdmin(environment),
  ])
  const { workspace, people, key, kind } = fixture
  const group = await makeGroup(environment, fixture)
  const theirGroup = await makeGroup(environment, stranger)
  const record = await fixture.register(people.owner)
  await fixture.share(people.owner, record, { user: people.editor.id }, 'view')
  const session = await makeSession(environment, people.owner, workspace)
  const theirSession = await makeSession(environment, stranger.people.owner, stranger.workspace)
  const theirs = { workspace_id: stranger.workspace, owner_id: stranger.people.viewer.id }
  // Ours by service but not by workspace, and by neither.
  const far = await fixture.register(stranger.people.viewer, theirs)
  const alien = await stranger.register(stranger.people.viewer, theirs)

  const action = await environment.seed.serviceAction(fixture.service, `a-${randomUUID()}`)
  const role = await environment.seed.customRole(workspace, [action], [people.viewer.id])
  // Apps of their own: the fixture's has to go on.
  const serviceApp = await environment.seed.serviceApp(`s-${randomUUID()}`)
  const clientUri = `https://app.example.com/${randomUUID()}`
  const clientApp = await environment.seed.clientApp([clientUri])

  const ask = { ...kind, resource_id: record.resource_id, action: 'view' }
  const values: Values = {
    ...ask,
    ...{ checks: [ask], permission_id: record.id, visibility: 'workspace', permission: 'edit' },
    ...{ workspace_id: workspace, group_id: group, user_id: people.viewer.id },
    ...{ grantee_type: 'user', grantee_id: people.editor.id, owner_id: people.editor.id },
    ...{ session_id: session, role: 'editor', limit: 10 },
    ...{ name: `n-${randomUUID()}`, slug: `s-${randomUUID()}`, description: 'new' },
    ...{ actions: [{ name: 'publish' }], role_id: role },
    ...{ service_action_id: action, service_action_ids: [action] },
    ...{ service_app_id: serviceApp.id, client_app_id: clientApp, redirect_uris: [clientUri] },
    csv: `email,workspace_slug\n${randomUUID()}@example.com,w-${workspace}\n`,
    ...{ email: `${randomUUID()}@example.com`, avatar_url: 'https://example.com/new.png' },
  }
  /** What means another thing there, or holds once only. */
  const own: Record<string, () => Values> = {
    register: () => ({ resource_id: randomUUID() }),
    // Of a whole environment only what is the fixture's.
    listUsers: () => ({ q: people.viewer.id }),
    listWorkspaces: () => ({ q: workspace }),
    // Somebody who is no member yet.
    addUserToWorkspace: () => ({ user_id: stranger.people.viewer.id }),
    listActivity: () => ({ action: 'group.created', target_type: 'group' }),
  }
  return {
    ...{
      fixture,
      stranger,
      admin,
      group,
      theirGroup,
      record,
      far,
      alien,
      session,
      theirSession,
      values,
    },
    /** A message that is answered, of the field names it declares. */
    message: (operation: DeclaredOperation): Values => {
      return fill(operation, operation.input, { ...values, ...own[operation.key]?.() })
    },
    shown: (
      { policy: { tier } }: DeclaredOperation,
      { token } = people.owner,
    ): PresentedCredentials => ({
      ...((tier === 'user' || tier === 'dual') && { token }),
      ...((tier === 'service' || tier === 'dual') && { key }),
      ...(tier === 'admin' && { admin: admin.token }),
    }),
    /** Ids that exist, but not for the caller; each with what has to stand beside it. */
    strangers: (field: string, { policy }: DeclaredOperation): Values[] => {
      // A service acts in every workspace, so that only another service's records are strange to it.
      const records = policy.tier === 'service' ? [alien] : [far, alien]
      const known: Record<string, Values[]> = {
        workspace_id: [{ workspace_id: stranger.workspace }],
        group_id: [{ group_id: theirGroup }],
        user_id: [{ user_id: stranger.people.viewer.id }],
        owner_id: [{ owner_id: stranger.people.viewer.id }],
        session_id: [{ session_id: theirSession }],
        grantee_id: [
          { grantee_id: stranger.people.viewer.id, grantee_type: 'user' },
          { grantee_id: theirGroup, grantee_type: 'group' },
        ],
        permission_id: records.map(({ id }) => ({ permission_id: id })),
        resource_id: records.map(({ resource_id }) => ({ resource_id })),
        'checks.resource_id': records.map(({ resource_id }) => ({
          checks: [{ ...ask, resource_id }],
        })),
      }
      const found = known[field]
      if (!found)
        throw new Error(`test/support/request-fixture.ts lacks a stranger for the field ${field}`)
      return found
    },
  }
}

/** The paths of a message's id fields, `checks.resource_id`. */
export function idFields(message: DescMessage): string[] {
  return message.fields.flatMap((field) => {
    if (field.message) return idFields(field.message).map((path) => `${field.name}.${path}`)
    return /_ids?$/.test(field.name) ? [field.name] : []
  })
}

/** A message for callers who may not know what would be a valid one. */
export function placeholderMessage({ input }: DeclaredOperation): Values {
  return Object.fromEntries(input.fields.filter(isNeeded).map((field) => [field.name, any(field)]))
}

function any({ name, fieldKind, scalar }: DescField): unknown {
  if (fieldKind === 'list') return []
  if (fieldKind === 'message') return {}
  return scalar === 9 ? (/_id$/.test(name) ? randomUUID() : 'x') : 1
}

function fill(operation: DeclaredOperation, message: DescMessage, values: Values): Values {
  const known = message.fields.filter(({ name }) => values[name] !== undefined)
  const missing = message.fields.find((field) => isNeeded(field) && !known.includes(field))
  if (missing)
    throw new Error(
      `test/support/request-fixture.ts lacks a value for ${operation.name} ${missing.name}`,
    )
  return Object.fromEntries(known.map(({ name }) => [name, values[name]]))
}

function isNeeded(field: DescField): boolean {
  return !field.proto.proto3Optional
}

/** How a call ended, without what differs from one call to the next. */
export function normalizeOutcome(ending: Outcome): string {
  const { headers, ...rest } = ending
  const { date, 'x-request-id': _, ...others } = headers
  return normalizeText(JSON.stringify({ ...rest, headers: others }))
}

/** A text without its ids and the times of today. */
export function normalizeText(text: string): string {
  return text
    .replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi, '<id>')
    .replace(/(?!2000)\d{4}-\d\d-\d\dT[\d:.]+(Z|\+00:00)/g, '<time>')
    .replace(/"kind_id": \d+/g, '"kind_id": <kind>')
}

async function makeGroup(
  environment: TestEnvironment,
  { workspace, people }: WorkspaceFixture,
): Promise<string> {
  return environment.seed.group(workspace, [people.viewer.id, people.editor.id])
}

async function makeSession(
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

const tables = ['users', 'workspaces', 'members', 'groups', 'group_members', 'resources', 'shares']
  .concat(['custom_roles', 'custom_role_members', 'custom_role_actions', 'service_actions'])
  .concat(['service_apps', 'refresh_families', 'refresh_tokens', 'activity'])

/** Every row that has one of the words in it, as text. */
export async function findRowsContaining(
  { pool }: TestEnvironment,
  words: string[],
): Promise<string[]> {
  const sql = tables.map(
    (table) => `select '${table} ' || to_jsonb(t)::text as row from ${table} t`,
  )
  const { rows } = await pool.query(sql.join(' union all '))
  const found = rows.map(({ row }) => row as string)
  return found.filter((row) => words.some((word) => row.includes(word))).toSorted()
}
