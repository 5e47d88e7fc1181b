import type { PermissionServiceClient } from '../../gen/daikon/v1/permissions.ts'
import type { Readers } from './hierarchy-agreement.ts'
import { readWorld, type World } from './hierarchy-world.ts'
import { expectOk } from './outcome.ts'
import type { TestEnvironment } from './test-environment.ts'
import type { Transport } from './transports.ts'
import { createWorkspaceFixture } from './workspace-fixture.ts'
import { type WorldRequirement, worldConditions } from './world-conditions.ts'

const groupCount = 4
const resourceCount = 6

/** The roles that shares and links of a world grant. */
export const worldRoles: Record<string, string[]> = {
  reader: ['view', 'publish'],
  manager: ['manage'],
}

/** The nodes that change and read a world, and the context of every decision. */
export type WorldNodes = {
  environment: TestEnvironment
  transports: Transport[]
  clients: PermissionServiceClient[]
  context: Record<string, unknown>
}

/** Returns the declaration of the type of a world's resources. */
export function declareWorld(kind: object, requirements: WorldRequirement[]): object {
  const roles = Object.entries(worldRoles).map(([name, actions]) => ({ name, actions }))
  return { ...kind, roles, conditions: worldConditions, requirements, allow_public: true }
}

/**
 * Creates a workspace with a user of each role, a publisher, a guest, a user who is not a member, and
 * six resources.
 */
export async function createWorldFixture({
  environment,
  transports,
  clients,
  context,
}: WorldNodes) {
  const { seed, pool } = environment
  const fixture = await createWorkspaceFixture(environment, transports[0] as Transport)
  const { workspace, service, people, kind, key, addMember } = fixture
  const publisher = await addMember('viewer')
  const guest = await addMember('viewer')
  const publish = await seed.serviceAction(service, 'publish')
  await seed.customRole(workspace, [publish], [publisher.id, people.editor.id, guest.id])
  const outsider = await seed.user()
  for (let count = 0; count < groupCount; count += 1) await seed.group(workspace)

  const members = { ...people, publisher, guest }
  const users = Object.entries(members).map(([name, { id }]) => ({
    id,
    role: name in people ? (name as keyof typeof people) : ('viewer' as const),
    publishes: name === 'publisher' || name === 'editor' || name === 'guest',
    guest: name === 'guest',
  }))
  let calls = 0
  const nextTransport = () => {
    calls += 1
    return transports[calls % transports.length] as Transport
  }
  const change = { workspace_id: workspace, user_id: guest.id, role: '', guest: true }
  const byAdmin = { token: people.admin.token }
  expectOk(await nextTransport().call('UpdateMember', change, byAdmin))
  expectOk(await nextTransport().call('PutResourceType', declareWorld(kind, []), { key }))
  // The viewer and the outsider own another workspace, which gives them nothing in this one.
  const elsewhere = await seed.workspace()
  const foreignTokens = new Map<string, string>()
  for (const id of [people.viewer.id, outsider]) {
    await seed.member(elsewhere, id, 'owner')
    foreignTokens.set(id, await environment.token(id, elsewhere))
  }
  const readers: Readers = {
    foreignTokens,
    linkTokens: new Map(),
    context,
    nextClient: () => clients[calls % clients.length] as PermissionServiceClient,
    workspace,
    kind,
    key,
    tokens: new Map(Object.values(members).map(({ id, token }) => [id, token])),
    nextTransport,
  }
  const world: World = {
    users: [...users, { id: outsider, role: undefined, publishes: false }],
    groups: [],
    resources: [],
    links: [],
    requirements: [],
    roles: worldRoles,
  }
  for (let count = 0; count < resourceCount; count += 1) await fixture.register(people.editor)
  Object.assign(world, await readWorld(pool, workspace))
  return { ...fixture, readers, world, memberIds: users.map(({ id }) => id), nextTransport }
}

export type WorldFixture = Awaited<ReturnType<typeof createWorldFixture>>
