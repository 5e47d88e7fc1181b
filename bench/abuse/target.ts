import { createHash } from 'node:crypto'
import { hashSecret } from '../../src/identity/secret.ts'
import { expectOk } from '../../test/support/outcome.ts'
import { seedConnection, seedScimToken } from '../../test/support/scim.ts'
import type { Transport } from '../../test/support/transports.ts'
import {
  createWorkspaceFixture,
  type WorkspaceFixture,
} from '../../test/support/workspace-fixture.ts'
import type { FaultEnvironment } from '../faults/fault-environment.ts'

type Person = { id: string; token: string }
type Resource = { id: string; resource_id: string }

/**
 * A workspace with the credentials of its members and its service. It can be sent to another
 * process.
 */
export type Tenant = Pick<WorkspaceFixture, 'workspace' | 'service' | 'key' | 'kind' | 'people'> & {
  /** A resource of the owner. */
  resource: Resource
  /** Authorization codes of the editor that can be exchanged with `codeVerifier`. */
  codes: string[]
}

/** The ports of the nodes, and a tenant in which everything is as large as the limits allow. */
export type Target = Tenant & {
  grpcPort: number
  httpPort: number
  databaseUrl: string
  /** A member of many groups, and a resource that is shared with all of them. */
  grouped: { reader: Person; resource: Resource }
  /** The last resource in an inheritance chain of the maximum length. */
  chainEnd: Resource
  /** The workspaces of a few people who administer all of them, with a token for each person. */
  manyWorkspaces: { workspace: string; tokens: string[] }[]
  /** A valid access token of several kilobytes. */
  largeToken: string
  /** The token of an administrator, who imports people. */
  adminToken: string
  /** A token of a directory, whose groups have more members than a response contains. */
  scimToken: string
}

export const codeVerifier = 'v'.repeat(43)

const maxChainLength = 32

/** The attacker's own workspaces, and the people in each of them. */
const workspaceCount = 9
const peopleCount = 3

/**
 * The number of IDs in a large token. The server issues at most `maxGroups` IDs, and more than this
 * number would exceed the size limit of a header.
 */
const idsInToken = 300

/** Together more members than a response contains. */
const directoryGroups = 8
const membersInGroup = 1_000

/** Creates a tenant whose calls succeed. */
export async function createTenant(
  environment: FaultEnvironment,
  grpc: Transport,
  codeCount = 0,
): Promise<Tenant> {
  const fixture = await createWorkspaceFixture(environment, grpc)
  const { workspace, service, key, kind, people } = fixture
  const { id, resource_id } = await fixture.register(people.owner)
  const codes = Array.from({ length: codeCount }, (_, index) => `${workspace}-${index}`)
  const challenge = createHash('sha256').update(codeVerifier).digest('base64url')
  await environment.pool.query(
    `insert into authorization_codes (code_hash, user_id, provider, code_challenge, expires_at)
     select unnest($1::text[]), $2, 'google', $3, now() + interval '1 hour'`,
    [codes.map(hashSecret), people.editor.id, challenge],
  )
  return { workspace, service, key, kind, people, resource: { id, resource_id }, codes }
}

/**
 * Creates the tenant of an attacker. `groupCount` is the number of groups of its `grouped` member.
 */
export async function createTarget(
  environment: FaultEnvironment,
  databaseUrl: string,
  {
    grpcPort,
    httpPort,
    transports,
  }: { grpcPort: number; httpPort: number; transports: Transport[] },
  groupCount: number,
): Promise<Target> {
  const [grpc] = transports as [Transport]
  const tenant = await createTenant(environment, grpc)
  const { workspace, people, kind, key } = tenant
  const reader = people.viewer
  const register = async (more: object = {}): Promise<Resource> => {
    const resource_id = crypto.randomUUID()
    const message = { ...kind, resource_id, workspace_id: workspace, owner_id: people.owner.id }
    const { id } = expectOk(await grpc.call('Register', { ...message, ...more }, { key }))
    return { id, resource_id }
  }
  const shared = await register()
  await environment.pool.query(
    `with new_groups as (
       insert into groups (id, workspace_id, name)
       select gen_random_uuid(), $1, 'group ' || n from generate_series(1, $2::int) n returning id
     ), memberships as (
       insert into group_members (group_id, user_id, workspace_id)
       select id, $3, $1 from new_groups
     )
     insert into shares (id, kind_id, resource_id, workspace_id, group_id, permission)
     select gen_random_uuid(), r.kind_id, r.resource_id, $1, new_groups.id, 'view'
     from new_groups, resources r where r.id = $4`,
    [workspace, groupCount, reader.id, shared.id],
  )
  let chainEnd = await register()
  for (let length = 1; length < maxChainLength; length += 1)
    chainEnd = await register({ parent: { ...kind, resource_id: chainEnd.resource_id } })
  const ids = Array.from({ length: idsInToken }, () => crypto.randomUUID())
  return {
    ...tenant,
    grpcPort,
    httpPort,
    databaseUrl,
    grouped: { reader, resource: shared },
    chainEnd,
    manyWorkspaces: await createManyWorkspaces(environment),
    largeToken: await environment.token(people.editor.id, workspace, { groups: ids }),
    adminToken: await environment.adminToken(),
    scimToken: await createDirectory(environment, workspace),
  }
}

/** Gives the workspace a directory with large groups. Returns its token. */
async function createDirectory(environment: FaultEnvironment, workspace: string): Promise<string> {
  const { pool } = environment
  await seedConnection(environment, workspace, `${workspace}.example.org`)
  await pool.query(
    `with people as (
       insert into users (id, email, name)
       select gen_random_uuid(), gen_random_uuid() || '@example.com', 'person'
       from generate_series(1, $2::int) returning id, email
     ), provisioned as (
       insert into scim_users (workspace_id, user_id, user_name, attributes, is_active, created_at, updated_at)
       select $1, id, email, '{}', true, now(), now() from people returning user_id
     ), new_groups as (
       insert into groups (id, workspace_id, name)
       select gen_random_uuid(), $1, 'directory ' || n from generate_series(1, $3::int) n returning id
     )
     insert into scim_group_members (group_id, user_id, workspace_id)
     select new_groups.id, provisioned.user_id, $1 from new_groups, provisioned`,
    [workspace, membersInGroup, directoryGroups],
  )
  return seedScimToken(environment, workspace)
}

async function createManyWorkspaces({
  seed,
  token,
}: FaultEnvironment): Promise<Target['manyWorkspaces']> {
  const people = await Promise.all(Array.from({ length: peopleCount }, () => seed.user()))
  const createOne = async () => {
    const workspace = await seed.workspace()
    const tokens = people.map(async (id) => {
      await seed.member(workspace, id, 'admin')
      return token(id, workspace)
    })
    return { workspace, tokens: await Promise.all(tokens) }
  }
  return Promise.all(Array.from({ length: workspaceCount }, createOne))
}
