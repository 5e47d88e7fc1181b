import { randomUUID } from 'node:crypto'
import type { Client } from 'pg'
import { grant } from '../../src/permissions/access.ts'
import { createFactsBatch, type FactsRow } from '../../src/permissions/facts-batch.ts'
import {
  accessibleSql,
  extendFacts,
  type GroupStorage,
  type ResourceStorage,
} from './statements.ts'

type Resource = {
  id: string
  external: string
  type: string
  owner: string
  isOpen: boolean
  parent?: Resource
  inherits: boolean
  shares: { user?: string; group?: string; bits: number }[]
}

type World = { workspace: string; users: string[]; resources: Resource[]; groups: Group[] }
type Group = { id: string; members: Set<string>; children: Group[] }

const pageSize = 3
const factsVariants: [ResourceStorage, GroupStorage][] = [
  ['walk', 'closure'],
  ['walk', 'members'],
  ['walk', 'recursive'],
  ['closure', 'closure'],
  ['array', 'array'],
  // Runs last, because it needs inherited rows in group_members.
  ['walk', 'none'],
]

/**
 * Compares every variant with a naive evaluation in random worlds. Throws at the first difference.
 */
export async function compareWithOracle(client: Client, worlds: number): Promise<string> {
  let compared = 0
  for (let world = 0; world < worlds; world += 1) {
    await client.query('begin')
    compared += await compareWorld(client, await createWorld(client))
    await client.query('rollback')
  }
  return `${worlds} random worlds: ${compared} results agree with the oracle\n`
}

const random = (size: number) => Math.floor(Math.random() * size)
const pick = <Item>(items: Item[]) => items[random(items.length)] as Item

async function createWorld(client: Client): Promise<World> {
  const workspace = randomUUID()
  const users = Array.from({ length: 4 }, () => randomUUID())
  const groups: Group[] = []
  await client.query(`insert into workspaces (id, name, slug) values ($1, 'w', 'w')`, [workspace])
  for (const user of users) {
    await client.query('insert into users (id, email) values ($1, $2)', [user, `${user}@a.example`])
    await client.query(
      `insert into members (user_id, workspace_id, role) values ($1, $2, 'viewer')`,
      [user, workspace],
    )
  }
  for (let index = 0; index < 7; index += 1) {
    const group: Group = { id: randomUUID(), members: new Set(), children: [] }
    await client.query(
      'insert into groups (id, workspace_id, name) values ($1, $2, gen_random_uuid())',
      [group.id, workspace],
    )
    for (const user of users.filter(() => random(5) === 0)) {
      group.members.add(user)
      await client.query('insert into group_members values ($1, $2, $3)', [
        group.id,
        user,
        workspace,
      ])
    }
    groups.push(group)
  }
  for (let edge = 0; edge < random(9); edge += 1) {
    const [parent, child] = [pick(groups), pick(groups)]
    const isCycle = isInGroup(child, parent)
    await attempt(client, 'select add_group($1, $2, $3)', [parent.id, child.id, workspace], isCycle)
    if (!isCycle && !parent.children.includes(child)) parent.children.push(child)
  }
  return {
    workspace,
    users,
    groups,
    resources: await createResources(client, workspace, users, groups),
  }
}

function isInGroup(group: Group, searched: Group): boolean {
  return group === searched || group.children.some((child) => isInGroup(child, searched))
}

/** Runs a statement that is expected to fail, or to succeed. */
async function attempt(client: Client, sql: string, values: unknown[], fails: boolean) {
  await client.query('savepoint attempt')
  const failed = await client.query(sql, values).then(
    () => false,
    () => true,
  )
  if (failed !== fails) throw new Error(`${sql} ${failed ? 'failed' : 'succeeded'}`)
  if (failed) await client.query('rollback to attempt')
}

async function createResources(
  client: Client,
  workspace: string,
  users: string[],
  groups: Group[],
): Promise<Resource[]> {
  await client.query(`insert into resource_kinds (service_name, resource_type)
    values ('s', 'a'), ('s', 'b') on conflict do nothing`)
  const resources: Resource[] = []
  for (let index = 0; index < 60; index += 1) {
    const resource: Resource = {
      id: randomUUID(),
      external: randomUUID(),
      type: random(3) ? 'a' : 'b',
      owner: random(8) ? pick(users) : (users[0] as string),
      isOpen: random(25) === 0,
      inherits: true,
      shares: [],
    }
    resources.push(resource)
    await client.query(
      `insert into resources (id, kind_id, resource_id, workspace_id, owner_id, visibility)
       select $1, id, $2, $3, $4, $5 from resource_kinds where service_name = 's' and resource_type = $6`,
      [
        resource.id,
        resource.external,
        workspace,
        resource.owner,
        resource.isOpen ? 'workspace' : 'private',
        resource.type,
      ],
    )
    const grantees = [
      ...users.map((user) => ({ user })),
      ...groups.map((group) => ({ group: group.id })),
    ]
    for (const grantee of grantees.filter(() => random(40) === 0)) {
      const permission = random(2) ? 'view' : 'edit'
      resource.shares.push({ ...grantee, bits: grant[permission] })
      await client.query(
        `insert into shares (id, kind_id, resource_id, workspace_id, user_id, group_id, permission)
         select gen_random_uuid(), kind_id, resource_id, workspace_id, $2, $3, $4 from resources where id = $1`,
        [
          resource.id,
          'user' in grantee ? grantee.user : null,
          'group' in grantee ? grantee.group : null,
          permission,
        ],
      )
    }
  }
  for (let move = 0; move < 90; move += 1) {
    const moved = pick(resources)
    const parent = random(6) ? pick(resources.slice(0, 30)) : undefined
    const inherits = random(8) > 0
    const isCycle = parent !== undefined && chainOf(parent).includes(moved)
    await attempt(
      client,
      'select move_resource($1, $2, $3)',
      [moved.id, parent?.id ?? null, inherits],
      isCycle,
    )
    if (isCycle) continue
    moved.inherits = inherits
    if (parent) moved.parent = parent
    else delete moved.parent
  }
  await client.query(`update resources r set ancestor_ids = array(select inherited_from(r.id))`)
  await client.query(`insert into inherited_members select distinct ancestor_id, user_id, workspace_id
    from group_members join group_ancestors using (group_id)`)
  await client.query(`update groups g set ancestor_ids =
    array(select ancestor_id from group_ancestors where group_id = g.id)`)
  return resources
}

function chainOf(resource: Resource): Resource[] {
  return resource.parent ? [resource, ...chainOf(resource.parent)] : [resource]
}

function grantsOf({ groups }: World, user: string, resource: Resource): number {
  const isMember = (group: Group): boolean =>
    group.members.has(user) || group.children.some(isMember)
  const own = new Set(groups.filter(isMember).map(({ id }) => id))
  let bits = 0
  for (let current: Resource | undefined = resource; current; ) {
    if (current.owner === user) bits |= grant.owner
    if (current.isOpen) bits |= grant.workspace
    for (const share of current.shares) {
      if (share.user === user || (share.group && own.has(share.group))) bits |= share.bits
    }
    current = current.inherits ? current.parent : undefined
  }
  return bits
}

async function compareWorld(client: Client, world: World): Promise<number> {
  const { workspace, users, resources } = world
  let compared = 0
  const queries = users.map((userId) => ({
    keyHash: undefined,
    tokenId: undefined,
    userId,
    workspaceId: workspace,
    checks: resources.map(({ type, external }) => ({
      service_name: 's',
      resource_type: type,
      resource_id: external,
      action: 'view',
    })),
  }))
  const expected = users.map((user) =>
    resources.map((resource) => grant.registered | grantsOf(world, user, resource)),
  )
  for (const variant of factsVariants) {
    if (variant[1] === 'none') {
      await client.query(`insert into group_members (group_id, user_id, workspace_id)
        select group_id, user_id, workspace_id from inherited_members on conflict do nothing`)
    }
    const batch = createFactsBatch(queries)
    const { rows } = await client.query({
      name: `facts ${variant}`,
      text: extendFacts(...variant),
      values: batch.parameters,
      rowMode: 'array',
    })
    const found = batch.read(rows[0] as unknown as FactsRow).map(({ grants }) => grants)
    if (JSON.stringify(found) !== JSON.stringify(expected))
      throw new Error(`facts ${variant} differ`)
    compared += users.length * resources.length
  }
  const masks = [grant.owner | grant.workspace | grant.view | grant.edit, grant.owner | grant.edit]
  for (const [name, sql] of Object.entries(accessibleSql)) {
    for (const [index, user] of users.entries()) {
      for (const mask of masks) {
        const ids = resources
          .filter(
            (resource, position) =>
              resource.type === 'a' && (expected[index]?.[position] ?? 0) & mask,
          )
          .map(({ external }) => external)
          .sort()
        const found = await listPages(client, name, sql, [workspace, user, 's', 'a'], mask)
        if (found.join() !== ids.join()) throw new Error(`accessible ${name} differs`)
        compared += 1
      }
    }
  }
  return compared
}

async function listPages(
  client: Client,
  name: string,
  sql: string,
  parameters: string[],
  mask: number,
) {
  const found: string[] = []
  let cursor = '00000000-0000-0000-0000-000000000000'
  for (;;) {
    const { rows } = await client.query({
      name: `page ${name}`,
      text: sql,
      values: [...parameters, cursor, pageSize, mask],
    })
    const ids = rows[0].ids ? (rows[0].ids as string).split(',') : []
    found.push(...ids.filter((id) => id !== found.at(-1)))
    if (ids.length < pageSize) return found
    cursor = ids.at(-1) as string
  }
}
