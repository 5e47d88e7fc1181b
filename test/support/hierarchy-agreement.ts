import { once } from 'node:events'
import type {
  CheckStreamResponse,
  PermissionServiceClient,
} from '../../gen/daikon/v1/permissions.ts'
import {
  findDescendantGroups,
  type World,
  type WorldGroup,
  type WorldResource,
  type WorldSubject,
  type WorldUser,
} from './hierarchy-world.ts'
import { expectOk } from './outcome.ts'
import { createMetadata, type PresentedCredentials, type Transport } from './transports.ts'
import { decideNaively, describeReason, explainNaively } from './world-decisions.ts'

export const worldActions = ['edit', 'manage', 'publish', 'unregistered', 'view']

/** The callers of the calls that return decisions, and the kind of the resources. */
export type Readers = {
  workspace: string
  kind: { service_name: string; resource_type: string }
  key: string
  /** An access token for each member. */
  tokens: Map<string, string>
  /** Access tokens of members, or of people who are not members, for other workspaces. */
  foreignTokens: Map<string, string>
  /** The tokens of links, by ID. */
  linkTokens: Map<string, string>
  /** The context of every request. */
  context: Record<string, unknown>
  /** Returns the client for the next stream of checks. */
  nextClient(): PermissionServiceClient
  /** Returns the transport for the next request. Alternates between nodes and transports. */
  nextTransport(): Transport
}

/**
 * Requires that Check, CheckStream, Accessible, Evaluate, EvaluateBatch with its reasons, and the
 * three searches match the naive decision on every subject, action and resource of the world.
 */
export async function requireAgreement(world: World, readers: Readers): Promise<void> {
  const links = world.links.map(({ id }) => link(id))
  // Concurrent calls share statements.
  await Promise.all([
    ...[anonymous, ...links].map(async (subject) => {
      await requireFoundResources(world, subject, readers)
      await requireEvaluations(world, subject, readers)
    }),
    ...[...readers.foreignTokens].map(([id, token]) =>
      // A token of another workspace may view what is public, whoever its user is.
      requireChecks(world, user({ id, role: undefined, publishes: false }), token, readers),
    ),
    ...world.users.map(user).map(async (person) => {
      await requireEvaluations(world, person, readers)
      await requireFoundResources(world, person, readers)
      const token = readers.tokens.get(person.id)
      if (!token) return
      await requireChecks(world, person, token, readers)
      await requireLists(world, person, token, readers)
    }),
    ...world.groups.map(async (group) => {
      const asGroup = asMember(world, group)
      await requireEvaluations(asGroup.world, asGroup.subject, readers)
      await requireFoundResources(asGroup.world, asGroup.subject, readers)
    }),
    ...world.resources.map(async (resource) => {
      await requireFoundGroups(world, resource, readers)
      await requireFoundSubjects(world, resource, readers)
      for (const subject of [...world.users.map(user), ...links])
        await requireFoundActions(world, subject, resource, readers)
    }),
  ])
}

/** Requires that the checks of every member match the naive decision. */
export async function requireMemberChecks(world: World, readers: Readers): Promise<void> {
  for (const person of world.users.map(user)) {
    const token = readers.tokens.get(person.id)
    if (token) await requireChecks(world, person, token, readers)
  }
}

const anonymous: WorldSubject = { type: 'anonymous', id: '', role: undefined, publishes: false }

function user(one: WorldUser): WorldSubject {
  return { ...one, type: 'user' }
}

function link(id: string): WorldSubject {
  return { type: 'link', id, role: undefined, publishes: false }
}

/** Names a subject in a request of the Access API. */
function nameSubject({ type, id }: WorldSubject, { linkTokens }: Readers) {
  return { type, id: (type === 'link' ? linkTokens.get(id) : id) || 'nobody' }
}

/**
 * Returns a world with a viewer who is in one group and has nothing else: such a member may do the
 * least, and so what the group may do.
 */
function asMember(world: World, { id }: WorldGroup): { world: World; subject: WorldSubject } {
  const groups = world.groups.map((group) =>
    group.id === id ? { ...group, members: [...group.members, id] } : group,
  )
  const effective = findDescendantGroups(world, id).flatMap(
    (below) => world.groups.find((group) => group.id === below)?.members ?? [],
  )
  const guest = world.users.some((one) => one.guest && effective.includes(one.id))
  const subject = { type: 'group', id, role: 'viewer', publishes: false, guest } as const
  return { world: { ...world, groups }, subject }
}

/** Checks every action on every resource, in batches of two sizes and in a stream. */
async function requireChecks(
  world: World,
  subject: WorldSubject,
  token: string,
  { kind, key, context, nextTransport, nextClient }: Readers,
): Promise<void> {
  const items = combine(world)
  if (items.length === 0) return
  const expected = items.map((item) => decideNaively({ world, subject, context, ...item }))
  const all = items.map(({ action, resource: { resource_id } }) => ({
    ...kind,
    resource_id,
    action,
  }))
  // Small batches look up groups differently from large ones.
  for (const size of [4, items.length]) {
    const allowed: boolean[] = []
    for (let offset = 0; offset < items.length; offset += size) {
      const message = { checks: all.slice(offset, offset + size), context }
      const { results } = expectOk(await nextTransport().call('Check', message, { token, key }))
      for (const result of results) allowed.push(result.allowed)
    }
    requireSame(allowed, expected, `Check of ${subject.role}, ${size} at a time`)
  }

  const stream = nextClient().checkStream(createMetadata({ token, key }))
  const streamed: boolean[] = []
  stream.on('data', ({ correlation_id, allowed }: CheckStreamResponse) => {
    streamed[Number(correlation_id)] = allowed
  })
  for (const [index, check] of all.entries())
    stream.write({ correlation_id: String(index), check, context })
  stream.end()
  await once(stream, 'end')
  requireSame(streamed, expected, `CheckStream of ${subject.role}`)
}

/** Reads complete lists, in one page and in pages of three. */
async function requireLists(
  world: World,
  subject: WorldSubject,
  token: string,
  readers: Readers,
): Promise<void> {
  const { workspace, kind, key, context, nextTransport } = readers
  for (const action of worldActions) {
    const expected = allowedIds(world, subject, action, readers)
    for (const limit of [1000, 3]) {
      const ids: string[] = []
      let page_token: string | undefined
      do {
        const query = { ...kind, action, workspace_id: workspace, context }
        const request = { ...query, limit, page_token }
        const page = expectOk(await nextTransport().call('Accessible', request, { token, key }))
        ids.push(...page.resource_ids)
        page_token = page.next_page_token ?? undefined
        if (!page.has_full_access) continue
        if (world.requirements.some((requirement) => requirement.action === action))
          throw new Error(`Full access despite a requirement of ${action}`)
        if (action !== 'unregistered')
          requireSame(expected.length, world.resources.length, `full access, ${action}`)
      } while (page_token)
      requireSame(ids, expected, `Accessible ${action} of ${subject.role}, limit ${limit}`)
    }
  }
}

/** Evaluates every action on every resource, with reasons and without. */
async function requireEvaluations(
  world: World,
  subject: WorldSubject,
  readers: Readers,
): Promise<void> {
  const { kind, key, nextTransport } = readers
  const items = combine(world)
  if (items.length === 0) return
  const label = `of ${subject.role ?? ''} ${subject.type} with ${JSON.stringify(readers.context)}`
  const explained = items.map((item) =>
    explainNaively({ world, subject, context: readers.context, ...item }),
  )
  const decisions = explained.map(({ isAllowed }) => isAllowed)
  for (const explain of [false, true]) {
    const evaluations = items.map(({ action, resource }) => ({
      subject: nameSubject(subject, readers),
      action: { name: action },
      resource: { type: kind.resource_type, id: resource.resource_id },
      context: { ...readers.context, explain },
    }))
    const message = expectOk(await nextTransport().call('EvaluateBatch', { evaluations }, { key }))
    requireSame(
      message.evaluations.map(({ decision }: { decision: boolean }) => decision),
      decisions,
      `EvaluateBatch ${label}`,
    )
    if (!explain) {
      const index = Math.floor(items.length / 2)
      const single = expectOk(
        await nextTransport().call('Evaluate', evaluations[index] ?? {}, { key }),
      )
      requireSame(single.decision, decisions[index], `Evaluate ${label}`)
      continue
    }
    for (const [index, { context }] of message.evaluations.entries()) {
      const { action, resource } = items[index] as Item
      requireSame(
        context.reasons.map(describeReason).toSorted(),
        explained[index]?.reasons,
        `Reasons of ${action} on ${resource.resource_id} ${label}`,
      )
    }
  }
}

async function requireFoundResources(
  world: World,
  subject: WorldSubject,
  readers: Readers,
): Promise<void> {
  const { type, role } = subject
  for (const name of worldActions) {
    const message = {
      subject: nameSubject(subject, readers),
      action: { name },
      resource: { type: readers.kind.resource_type },
    }
    const found = await search('SearchResources', message, readers)
    // The search covers the workspaces of the user. For anonymous subjects, it covers all.
    const isCovered = role !== undefined || type === 'anonymous'
    const expected = isCovered ? allowedIds(world, subject, name, readers) : []
    const linked = type === 'link' ? linkedIds(world, subject, name, readers) : expected
    requireSame(found, linked, `SearchResources ${name} of ${role} ${type}`)
  }
}

async function requireFoundSubjects(
  world: World,
  resource: WorldResource,
  readers: Readers,
): Promise<void> {
  const { context } = readers
  for (const name of worldActions) {
    const message = {
      subject: { type: 'user' },
      action: { name },
      resource: { type: readers.kind.resource_type, id: resource.resource_id },
    }
    const expected = world.users
      .map(user)
      .filter(
        (subject) =>
          subject.role && decideNaively({ world, subject, action: name, resource, context }),
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
  const { context } = readers
  for (const name of worldActions) {
    const message = {
      subject: { type: 'group' },
      action: { name },
      resource: { type: readers.kind.resource_type, id: resource.resource_id },
    }
    const expected = world.groups.filter((group) =>
      decideNaively({ ...asMember(world, group), action: name, resource, context }),
    )
    const found = await search('SearchSubjects', message, readers)
    requireSame(found, expected.map(({ id }) => id).toSorted(), `SearchSubjects of groups, ${name}`)
  }
}

async function requireFoundActions(
  world: World,
  subject: WorldSubject,
  resource: WorldResource,
  readers: Readers,
): Promise<void> {
  const { context } = readers
  const message = {
    subject: nameSubject(subject, readers),
    resource: { type: readers.kind.resource_type, id: resource.resource_id },
  }
  const expected = worldActions.filter((action) =>
    decideNaively({ world, subject, action, resource, context }),
  )
  requireSame(await search('SearchActions', message, readers), expected, 'SearchActions')
}

/** Returns all results of a search, read in pages of three. */
async function search(
  method: string,
  message: object,
  { key, context, nextTransport }: Readers,
): Promise<string[]> {
  const credentials: PresentedCredentials = { key }
  const results: string[] = []
  let token = ''
  do {
    const request = { ...message, context, page: token ? { token } : { limit: 3 } }
    const found = expectOk(await nextTransport().call(method, request, credentials))
    for (const { name, id } of found.results) results.push(name ?? id)
    token = found.page.next_token
  } while (token)
  return results.toSorted()
}

type Item = { action: string; resource: WorldResource }

function combine(world: World): Item[] {
  return worldActions.flatMap((action) => world.resources.map((resource) => ({ action, resource })))
}

function allowedIds(
  world: World,
  subject: WorldSubject,
  action: string,
  { context }: Readers,
): string[] {
  return world.resources
    .filter((resource) => decideNaively({ world, subject, action, resource, context }))
    .map(({ resource_id }) => resource_id)
    .toSorted()
}

/** Returns the resources that a link opens, without those that are only public. */
function linkedIds(
  world: World,
  subject: WorldSubject,
  action: string,
  { context }: Readers,
): string[] {
  return world.resources
    .filter((resource) =>
      explainNaively({ world, subject, action, resource, context }).reasons.some((reason) =>
        reason.startsWith('link '),
      ),
    )
    .map(({ resource_id }) => resource_id)
    .toSorted()
}

function requireSame(actual: unknown, expected: unknown, label: string): void {
  const [found, expectedText] = [JSON.stringify(actual), JSON.stringify(expected)]
  if (found !== expectedText) throw new Error(`${label}: ${found} instead of ${expectedText}`)
}
