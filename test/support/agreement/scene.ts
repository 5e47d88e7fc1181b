import { randomUUID } from 'node:crypto'
import { credentials } from '@grpc/grpc-js'
import type { Pool } from 'pg'
import { PermissionServiceClient } from '../../../gen/daikon/v1/permissions.ts'
import { createAdmin } from '../admin.ts'
import { insertDelegation } from '../delegation-rows.ts'
import { expectOk } from '../outcome.ts'
import { createScimClient, seedConnection, seedScimToken } from '../scim.ts'
import type { Seed } from '../seed.ts'
import type { Node, TestEnvironment } from '../test-environment.ts'
import { repeatLockTimeouts, type Transport } from '../transports.ts'
import { createWorkspaceFixture, type WorkspaceFixture } from '../workspace-fixture.ts'
import type { WorldRequirement } from '../world-conditions.ts'
import { declareWorld } from '../world-fixture.ts'
import type { Secrets } from './oracle.ts'
import type { Random } from './random.ts'

/** A node that is asked, with a name for messages. */
export type AskedNode = {
  name: string
  node: Node
  grpc: Transport
  rest: Transport
  client: PermissionServiceClient
}

export function nameNode(name: string, node: Node): AskedNode {
  const [grpc, rest] = node.transports.map(repeatLockTimeouts) as [Transport, Transport]
  const address = `127.0.0.1:${node.grpcPort}`
  const client = new PermissionServiceClient(address, credentials.createInsecure())
  return { name, node, grpc, rest, client }
}

/** A person whom questions name in several ways. */
export type Person = { id: string; email: string; externalId: string }

/** What changes and questions use: a world in one workspace, another workspace, and the nodes. */
export type Scene = WorkspaceFixture & {
  environment: TestEnvironment
  nodes: AskedNode[]
  random: Random
  /** Reads and changes rows, as `seed` does, on the server that is the primary now. */
  pool: Pool
  seed: Seed
  admin: Awaited<ReturnType<typeof createAdmin>>
  scim: ReturnType<typeof createScimClient>
  secrets: Secrets
  /** Every service key of the service app, the newest last. */
  keys: string[]
  /** The people whom changes are about. */
  members: Person[]
  /** Two people without groups, shares and roles, one of whom is a member at a time. */
  drifters: Person[]
  outsider: Person
  groups: string[]
  /** A group that is in no hierarchy. Only SQL changes it. */
  flatGroup: string
  roles: string[]
  actions: Record<'publish' | 'archive', string>
  /** The IDs and names of resources that questions ask about, also after they are gone. */
  resources: string[]
  /** The types of the resources that are no documents, by ID. */
  types: Map<string, string>
  /** Two IDs for one resource that is shared with nobody. */
  wanderers: [string, string]
  /** Other workspaces. The last one exists unless a change has deleted it. */
  others: string[]
  context: Record<string, unknown>
  /** Milliseconds by which the clock of the nodes is ahead. */
  clockAhead: number
  serviceAccount: string
  /** The IDs of delegations, the newest last. */
  delegations: string[]
}

/** The types of the resources. */
export const resourceTypes = ['document', 'folder'] as const

/** What the actions on each type require until a change declares it again. */
const firstRequirements: Record<(typeof resourceTypes)[number], WorldRequirement[]> = {
  document: [{ action: 'publish', condition: 'ranked' }],
  folder: [{ action: 'view', condition: 'unblocked', inherited: true }],
}

/** Returns the service and the type of a resource. */
export function kindOf({ kind, types }: Scene, name: string) {
  return { ...kind, resource_type: types.get(name) ?? kind.resource_type }
}

/** The contexts of questions. Conditions read them. */
export const contexts: Record<string, unknown>[] = [
  {},
  { amount: 3, address: '10.1.2.3' },
  { amount: 30, address: '192.168.0.1' },
]

export async function createScene(
  environment: TestEnvironment,
  nodes: AskedNode[],
  random: Random,
): Promise<Scene> {
  const { seed, pool } = environment
  const [first] = nodes as [AskedNode]
  const fixture = await createWorkspaceFixture(environment, first.grpc)
  const { workspace, service, kind, key, people } = fixture
  // Keys are required while any service app is active.
  await seed.serviceApp('another')
  const admin = await createAdmin(environment)
  const createPerson = async (id?: string): Promise<Person> => {
    const person = id ?? (await seed.user('person'))
    const externalId = `staff-${person.slice(0, 8)}`
    const { rows } = await pool.query(
      'update users set external_id = $2 where id = $1 returning email',
      [person, externalId],
    )
    return { id: person, email: rows[0].email, externalId }
  }
  const members: Person[] = []
  for (const { id } of Object.values(people)) members.push(await createPerson(id))
  for (const role of ['viewer', 'editor'] as const) {
    const person = await createPerson()
    await seed.member(workspace, person.id, role)
    members.push(person)
  }
  const drifters = [await createPerson(), await createPerson()]
  await seed.member(workspace, (drifters[0] as Person).id, 'editor')
  const outsider = await createPerson()
  const actions = {
    publish: await seed.serviceAction(service, 'publish'),
    archive: await seed.serviceAction(service, 'archive'),
  }
  const groups: string[] = []
  for (let count = 0; count < 3; count += 1) groups.push(await seed.group(workspace))
  const [, , viewer, fifth] = members.toReversed() as [Person, Person, Person, Person]
  const flatGroup = await seed.group(workspace, [viewer.id])
  const roles = [
    await seed.customRole(workspace, [actions.publish], [fifth.id]),
    await seed.customRole(workspace, [actions.archive], []),
  ]
  const domain = `${randomUUID()}.example.org`
  await seedConnection(environment, workspace, domain)
  const token = await seedScimToken(environment, workspace)
  const scene: Scene = {
    ...fixture,
    ...{
      environment,
      nodes,
      random,
      pool,
      seed,
      admin,
      members,
      drifters,
      outsider,
      groups,
      flatGroup,
    },
    ...{ roles, actions, context: {}, clockAhead: 0, keys: [key], resources: [], others: [] },
    scim: createScimClient({ httpPort: first.node.httpPort, workspace, domain, token }),
    secrets: { tokens: new Map(), apiKeys: new Map(), links: new Map() },
    types: new Map(),
    wanderers: [randomUUID(), randomUUID()],
    serviceAccount: '',
    delegations: [],
  }
  for (const resource_type of resourceTypes) {
    const declared = declareWorld({ ...kind, resource_type }, firstRequirements[resource_type])
    expectOk(await first.grpc.call('PutResourceType', declared, { key }))
  }
  const folder = { ...kind, resource_type: 'folder' }
  const attributes = { blocked: [fifth.id] }
  const outer = await fixture.register(people.editor, { ...folder, attributes })
  const parent = { ...folder, resource_id: outer.resource_id }
  const inner = await fixture.register(people.editor, { ...folder, parent })
  for (let count = 0; count < 4; count += 1) {
    const parent = [
      undefined,
      scene.resources[0] && { ...kind, resource_id: scene.resources[0] },
      { ...folder, resource_id: inner.resource_id },
    ][count]
    const { resource_id } = await fixture.register(people.editor, {
      visibility: count === 3 ? 'workspace' : 'private',
      ...(parent && { parent }),
    })
    scene.resources.push(resource_id)
  }
  const named = { resource_id: undefined, external_id: `plan ${randomUUID().slice(0, 8)}` }
  await fixture.register(people.editor, named)
  scene.resources.push(named.external_id)
  const [wanderer] = scene.wanderers
  await fixture.register(people.owner, { resource_id: wanderer, visibility: 'workspace' })
  scene.resources.push(...scene.wanderers)
  for (const { resource_id } of [outer, inner]) {
    scene.types.set(resource_id, 'folder')
    scene.resources.push(resource_id)
  }
  await addWorkspace(scene)
  for (const { id } of [...members, ...drifters]) await issueToken(scene, id, workspace)
  const account = { workspace_id: workspace, name: 'robot', role: 'viewer' }
  const created = expectOk(
    await first.grpc.call('CreateServiceAccount', account, { token: people.admin.token }),
  )
  scene.serviceAccount = created.id
  await issueApiKey(scene)
  for (let count = 0; count < 4; count += 1) await delegate(scene)
  return scene
}

/** Adds a workspace with a resource, in which a member of the first one is an editor. */
export async function addWorkspace(scene: Scene): Promise<void> {
  const { seed, members, outsider, resources, kind } = scene
  const other = await seed.workspace()
  const person = scene.random.pick(members)
  await seed.member(other, outsider.id, 'owner')
  await seed.member(other, person.id, 'editor')
  const resource_id = randomUUID()
  const facts = { ...kind, resource_id, workspace_id: other, owner_id: outsider.id }
  const message = { ...facts, visibility: 'workspace' }
  expectOk(await (scene.nodes[0] as AskedNode).grpc.call('Register', message, { key: scene.key }))
  resources.push(resource_id)
  scene.others.push(other)
  await issueToken(scene, person.id, other)
}

export async function issueToken(scene: Scene, userId: string, workspaceId: string) {
  const tokenId = randomUUID()
  const seconds = 3600
  const token = await scene.environment.token(userId, workspaceId, { jti: tokenId, seconds })
  const endsAt = Date.now() + seconds * 1000
  scene.secrets.tokens.set(token, { userId, tokenId, workspaceId, endsAt })
}

/** Lets an agent act for a member, within random limits. */
export async function delegate(scene: Scene): Promise<void> {
  const { pool, random, members, workspace, service, delegations } = scene
  const { rows } = await pool.query('select id from resources order by random() limit 2')
  const id = await insertDelegation(pool, {
    user_id: random.pick(members).id,
    workspace_id: random.pick([workspace, workspace, workspace, ...scene.others]),
    service_name: random.pick([service, service, service, 'another']),
    actions: random.pick([null, ['view'], ['view', 'edit', 'publish'], ['manage']]),
    resource_types: random.pick([null, ['document'], ['folder']]),
    resources: random.pick([null, rows.map(({ id }) => id)]),
  })
  delegations.push(id)
}

export async function issueApiKey(scene: Scene): Promise<void> {
  const message = { workspace_id: scene.workspace, service_account_id: scene.serviceAccount }
  const outcome = await (scene.nodes[0] as AskedNode).grpc.call(
    'CreateKey',
    { ...message, name: 'robot' },
    { token: scene.people.admin.token },
  )
  if (outcome.ok) scene.secrets.apiKeys.set(outcome.message.key, outcome.message.id)
}
