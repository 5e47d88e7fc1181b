import {
  decideNaively,
  isPublic,
  type World,
  type WorldGroup,
  type WorldResource,
  type WorldUser,
} from './hierarchy-world.ts'
import { expectOk } from './outcome.ts'
import type { PresentedCredentials, Transport } from './transports.ts'

export const worldActions = ['edit', 'manage', 'publish', 'unregistered', 'view']

/** The callers of the calls that return decisions, and the kind of the resources. */
export type Readers = {
  workspace: string
  kind: { service_name: string; resource_type: string }
  key: string
  /** An access token for each member. */
  tokens: Map<string, string>
  /** Access tokens of other workspaces. */
  foreignTokens: string[]
  /** Returns the transport for the next request. Alternates between nodes and transports. */
  nextTransport(): Transport
}

/**
 * Requires that Check, Accessible, EvaluateBatch and the three searches match the naive decision on
 * every user, action and resource of the world.
 */
export async function requireAgreement(world: World, readers: Readers): Promise<void> {
  // Concurrent calls share statements.
  await Promise.all([
    requireFoundResources(world, anonymous, readers, 'anonymous'),
    requireEvaluations(world, anonymous, readers, 'anonymous'),
    ...readers.foreignTokens.map((token) => requireForeignChecks(world, token, readers)),
    ...world.users.map(async (user) => {
      await requireEvaluations(world, user, readers)
      await requireFoundResources(world, user, readers)
      const token = readers.tokens.get(user.id)
      if (!token) return
      await requireChecks(world, user, token, readers)
      await requireLists(world, user, token, readers)
    }),
    ...world.groups.map(async (group) => {
      const asGroup = asMember(world, group)
      await requireEvaluations(asGroup.world, asGroup.user, readers, 'group')
      await requireFoundResources(asGroup.world, asGroup.user, readers, 'group')
    }),
    ...world.resources.map(async (resource) => {
      await requireFoundGroups(world, resource, readers)
      await requireFoundSubjects(world, resource, readers)
      for (const user of world.users) await requireFoundActions(world, user, resource, readers)
    }),
  ])
}

/** A subject who is not signed in. */
const anonymous: WorldUser = { id: 'anonymous', role: undefined, publishes: false }

/** A token of another workspace may view what is public, whoever its user is. */
async function requireForeignChecks(
  world: World,
  token: string,
  { kind, key, nextTransport }: Readers,
): Promise<void> {
  const items = combine(world)
  if (items.length === 0) return
  const expected = items.map(
    ({ action, resource }) => action === 'view' && isPublic(world, resource),
  )
  const checks = items.map(({ action, resource: { resource_id } }) => ({
    ...kind,
    resource_id,
    action,
  }))
  const { results } = expectOk(await nextTransport().call('Check', { checks }, { token, key }))
  requireSame(
    results.map(({ allowed }: { allowed: boolean }) => allowed),
    expected,
    'Check with a token of another workspace',
  )
}

/**
 * Returns a world with a viewer who is in one group and has nothing else: such a member may do the
 * least, and so what the group may do.
 */
function asMember(world: World, { id }: WorldGroup): { world: World; user: WorldUser } {
  const groups = world.groups.map((group) =>
    group.id === id ? { ...group, members: [...group.members, id] } : group,
  )
  return { world: { ...world, groups }, user: { id, role: 'viewer', publishes: false } }
}

/** Checks every action on every resource, in batches of two sizes. */
async function requireChecks(
  world: World,
  user: WorldUser,
  token: string,
  { kind, key, nextTransport }: Readers,
): Promise<void> {
  const items = combine(world)
  if (items.length === 0) return
  const expected = items.map(({ action, resource }) => decideNaively(world, user, action, resource))
  const check = ({ action, resource: { resource_id } }: Item) => ({ ...kind, resource_id, action })
  // Small batches look up groups differently from large ones.
  for (const size of [4, items.length]) {
    const allowed: boolean[] = []
    for (let offset = 0; offset < items.length; offset += size) {
      const checks = items.slice(offset, offset + size).map(check)
      const { results } = expectOk(await nextTransport().call('Check', { checks }, { token, key }))
      for (const result of results) allowed.push(result.allowed)
    }
    requireSame(allowed, expected, `Check of ${user.role}, ${size} at a time`)
  }
}

/** Reads complete lists, in one page and in pages of three. */
async function requireLists(
  world: World,
  user: WorldUser,
  token: string,
  { workspace, kind, key, nextTransport }: Readers,
): Promise<void> {
  for (const action of worldActions) {
    const expected = allowedIds(world, user, action)
    for (const limit of [1000, 3]) {
      const ids: string[] = []
      let page_token: string | undefined
      do {
        const request = { ...kind, action, workspace_id: workspace, limit, page_token }
        const page = expectOk(await nextTransport().call('Accessible', request, { token, key }))
        ids.push(...page.resource_ids)
        page_token = page.next_page_token ?? undefined
        if (page.has_full_access && action !== 'unregistered')
          requireSame(expected.length, world.resources.length, `full access, ${action}`)
      } while (page_token)
      requireSame(ids, expected, `Accessible ${action} of ${user.role}, limit ${limit}`)
    }
  }
}

async function requireEvaluations(
  world: World,
  user: WorldUser,
  { kind, key, nextTransport }: Readers,
  type = 'user',
): Promise<void> {
  const items = combine(world)
  if (items.length === 0) return
  const evaluations = items.map(({ action, resource }) => ({
    subject: { type, id: user.id },
    action: { name: action },
    resource: { type: kind.resource_type, id: resource.resource_id },
  }))
  const message = expectOk(await nextTransport().call('EvaluateBatch', { evaluations }, { key }))
  requireSame(
    message.evaluations.map(({ decision }: { decision: boolean }) => decision),
    items.map(({ action, resource }) => decideNaively(world, user, action, resource)),
    `Evaluate of ${user.role}`,
  )
}

async function requireFoundResources(
  world: World,
  user: WorldUser,
  readers: Readers,
  type = 'user',
): Promise<void> {
  for (const name of worldActions) {
    const message = {
      subject: { type, id: user.id },
      action: { name },
      resource: { type: readers.kind.resource_type },
    }
    const found = await search('SearchResources', message, readers)
    // The search covers the workspaces of the user. For anonymous subjects, it covers all.
    const isCovered = user.role !== undefined || type === 'anonymous'
    const expected = isCovered ? allowedIds(world, user, name) : []
    requireSame(found, expected, `SearchResources ${name} of ${user.role}`)
  }
}

async function requireFoundSubjects(
  world: World,
  resource: WorldResource,
  readers: Readers,
): Promise<void> {
  for (const name of worldActions) {
    const message = {
      subject: { type: 'user' },
      action: { name },
      resource: { type: readers.kind.resource_type, id: resource.resource_id },
    }
    const expected = world.users.filter(
      (user) => user.role && decideNaively(world, user, name, resource),
    )
    const found = await search('SearchSubjects', message, readers)
    requireSame(found, expected.map(({ id }) => id).toSorted(), `SearchSubjects ${name}`)
  }
}

async function requireFoundGroups(
  world: World,
  resource: WorldResource,
  readers: Readers,
): Promise<void> {
  for (const name of worldActions) {
    const message = {
      subject: { type: 'group' },
      action: { name },
      resource: { type: readers.kind.resource_type, id: resource.resource_id },
    }
    const expected = world.groups.filter((group) => {
      const asGroup = asMember(world, group)
      return decideNaively(asGroup.world, asGroup.user, name, resource)
    })
    const found = await search('SearchSubjects', message, readers)
    requireSame(found, expected.map(({ id }) => id).toSorted(), `SearchSubjects of groups, ${name}`)
  }
}

async function requireFoundActions(
  world: World,
  user: WorldUser,
  resource: WorldResource,
  readers: Readers,
): Promise<void> {
  const message = {
    subject: { type: 'user', id: user.id },
    resource: { type: readers.kind.resource_type, id: resource.resource_id },
  }
  const expected = worldActions.filter((name) => decideNaively(world, user, name, resource))
  requireSame(await search('SearchActions', message, readers), expected, 'SearchActions')
}

/** Returns all results of a search, read in pages of three. */
async function search(
  method: string,
  message: object,
  { key, nextTransport }: Readers,
): Promise<string[]> {
  const credentials: PresentedCredentials = { key }
  const results: string[] = []
  let token = ''
  do {
    const page = token ? { token } : { limit: 3 }
    const found = expectOk(await nextTransport().call(method, { ...message, page }, credentials))
    for (const { name, id } of found.results) results.push(name ?? id)
    token = found.page.next_token
  } while (token)
  return results.toSorted()
}

type Item = { action: string; resource: WorldResource }

function combine(world: World): Item[] {
  return worldActions.flatMap((action) => world.resources.map((resource) => ({ action, resource })))
}

function allowedIds(world: World, user: WorldUser, action: string): string[] {
  return world.resources
    .filter((resource) => decideNaively(world, user, action, resource))
    .map(({ resource_id }) => resource_id)
    .toSorted()
}

function requireSame(actual: unknown, expected: unknown, label: string): void {
  const [found, expectedText] = [JSON.stringify(actual), JSON.stringify(expected)]
  if (found !== expectedText) throw new Error(`${label}: ${found} instead of ${expectedText}`)
}
