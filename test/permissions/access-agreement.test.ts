import { randomUUID } from 'node:crypto'
import test from 'ava'
import fc from 'fast-check'
import {
  contexts,
  kind,
  office,
  type SeededResource,
  seedWorld,
  shareRoles,
  workspaces,
} from '../support/access-world.ts'
import { expectOk } from '../support/outcome.ts'
import { startTestEnvironment } from '../support/test-environment.ts'
import type { PresentedCredentials, Transport } from '../support/transports.ts'
import { createWorkspaceFixture, type ResourceRecord } from '../support/workspace-fixture.ts'

const actions = ['edit', 'manage', 'publish', 'unregistered', 'view']

/** Where every request comes from, and the actions that require the condition. */
const requests = fc.record({
  from: fc.constantFrom('inside', 'outside', 'without'),
  required: fc.uniqueArray(fc.constantFrom('edit', 'publish', 'view'), { maxLength: 2 }),
})

test('Evaluate, its reasons, the searches, Check and Accessible agree on random facts', async (t) => {
  t.timeout(600_000)
  const environment = await startTestEnvironment()
  t.teardown(() => environment.stop())
  const { key } = await environment.seed.serviceApp(kind.service_name)
  const foreign = await environment.seed.serviceApp('other')
  const publish = await environment.seed.serviceAction(kind.service_name, 'publish')
  const transport = environment.transports[0] as Transport
  /** The context of every request. */
  let requestContext: object = {}
  const call = async (
    method: string,
    message: Record<string, any>,
    credentials: PresentedCredentials = { key },
  ) => expectOk(await transport.call(method, withContext(message, requestContext), credentials))
  const roles = Object.entries(shareRoles).map(([name, actions]) => ({ name, actions }))
  const expression = "in_cidr(context.address, '10.0.0.0/8')"
  const conditions = [{ name: office, description: '', expression, parameters: {} }]
  const declare = async (required: string[]) => {
    const requirements = required.map((action) => ({ action, condition: office }))
    const declaration = { ...kind, roles, conditions, requirements, allow_public: true }
    expectOk(await transport.call('PutResourceType', declaration, { key }))
  }

  /** Returns all results of a search, read in pages of two. */
  async function search(method: string, message: object): Promise<string[]> {
    const results: string[] = []
    let token = ''
    do {
      const page = token ? { token } : { limit: 2 }
      const found = await call(method, { ...message, page })
      results.push(...found.results.map((one: any) => one.name ?? one.id))
      token = found.page.next_token
    } while (token)
    return results.toSorted()
  }

  /** Returns the complete list of Accessible, read in pages of two. */
  async function listAccessible(message: object, token: string): Promise<string[]> {
    const ids: string[] = []
    let page_token: string | undefined
    do {
      const request = { ...message, limit: 2, page_token }
      const page = await call('Accessible', request, { key, token })
      ids.push(...page.resource_ids)
      page_token = page.next_page_token ?? undefined
    } while (page_token)
    return ids
  }

  await fc.assert(
    fc.asyncProperty(workspaces, requests, async (world, { from, required }) => {
      await declare(required)
      requestContext = contexts[from]
      const isInside = from === 'inside'
      const isMet = (action: string) => isInside || !required.some((one) => one === action)
      const { users, workspaceIds, resources } = await seedWorld(environment, world, publish)
      const roleOf = (user: string, workspace: string) => {
        const facts = world[workspaceIds.indexOf(workspace)]
        const index = users.indexOf(user)
        return facts?.ended.includes(index) ? undefined : facts?.roles[index]
      }
      const resourceType = kind.resource_type
      const decided = new Map<string, boolean>()
      const evaluations = users.flatMap((user) =>
        resources.flatMap((resource) =>
          actions.map((name) => ({
            subject: { type: 'user', id: user },
            action: { name },
            resource: { type: resourceType, id: resource.externalId ?? resource.id },
            context: { explain: true },
          })),
        ),
      )
      const batch = await call('EvaluateBatch', { evaluations })
      for (const [index, { subject, action, resource }] of evaluations.entries()) {
        const { decision, context } = batch.evaluations[index]
        decided.set(`${subject.id} ${action.name} ${resource.id}`, decision)
        const rules = context.reasons.map(({ rule }: { rule: string }) => rule)
        const denials = [
          'not_a_member',
          'action_unknown',
          'no_grant',
          'requirement_not_met',
          'context_missing',
        ]
        const isExplained = decision
          ? rules.length > 0 && !rules.some((rule: string) => denials.includes(rule))
          : rules.length > 0 && rules.every((rule: string) => denials.includes(rule))
        if (!isExplained) throw new Error(`${decision} explained as ${rules}`)
        if (decision && !isMet(action.name)) throw new Error(`${action.name} is not barred`)
        if (!decision || action.name === 'publish') continue
        const reasons = context.reasons.map(describeReason).toSorted()
        const resourceOfItem = resources.find(
          ({ id, externalId }) => resource.id === (externalId ?? id),
        )
        const role = resourceOfItem && roleOf(subject.id, resourceOfItem.workspace)
        if (!resourceOfItem) throw new Error('The resource is unknown')
        const grants = findGrants(resourceOfItem, subject.id, role, action.name, isInside)
        assertSame(reasons, grants.toSorted(), `reasons of ${action.name}`)
      }
      const isAllowed = (user: string, action: string, { id, externalId }: SeededResource) =>
        decided.get(`${user} ${action} ${externalId ?? id}`)
      const isMember = (user: string, { workspace }: SeededResource) =>
        roleOf(user, workspace) !== undefined
      const names = (list: SeededResource[]) =>
        list.map(({ id, externalId }) => externalId ?? id).toSorted()

      const requireResource = async (resource: SeededResource) => {
        const named = { type: resourceType, id: resource.externalId ?? resource.id }
        for (const name of actions) {
          const message = { action: { name }, resource: named }
          const found = await search('SearchSubjects', { ...message, subject: { type: 'user' } })
          const expected = users
            .filter((user) => isMember(user, resource) && isAllowed(user, name, resource))
            .toSorted()
          assertSame(found, expected, `subjects of ${name}`)
          const foreignMessage = { ...message, subject: { type: 'user' } }
          const { results } = await call('SearchSubjects', foreignMessage, { key: foreign.key })
          assertSame(results, [], 'subjects for another service')
        }
        for (const user of users) {
          const subject = { type: 'user', id: user }
          const found = await search('SearchActions', { subject, resource: named })
          const expected = actions.filter((name) => isAllowed(user, name, resource))
          assertSame(found, expected, 'actions')
        }
      }
      const requireUser = async (user: string, name: string) => {
        const subject = { type: 'user', id: user }
        const message = { subject, action: { name }, resource: { type: resourceType } }
        const expected = resources.filter(
          (resource) => isMember(user, resource) && isAllowed(user, name, resource),
        )
        assertSame(await search('SearchResources', message), names(expected), `all ${name}`)
        for (const workspace_id of workspaceIds) {
          const inWorkspace = (list: SeededResource[]) =>
            list.filter(({ workspace }) => workspace === workspace_id)
          const found = await search('SearchResources', { ...message, context: { workspace_id } })
          assertSame(found, names(inWorkspace(expected)), `${name} in a workspace`)
          const token = await environment.token(user, workspace_id)
          const tokenSubject = { type: 'access_token', id: token }
          const byToken = await search('SearchResources', { ...message, subject: tokenSubject })
          assertSame(byToken, names(inWorkspace(expected)), `${name} by token`)
          // Check rejects the token of a user who is not a member.
          if (!roleOf(user, workspace_id)) continue
          const checks = resources.map(({ id }) => ({ ...kind, resource_id: id, action: name }))
          const checked = await call('Check', { checks }, { key, token })
          const allowed = resources.filter((_, index) => checked.results[index].allowed)
          // Of another workspace, the token may view what is public, whatever its user may do there.
          const byAnybody = resources.filter(
            (resource) =>
              name === 'view' &&
              isMet('view') &&
              resource.workspace !== workspace_id &&
              isPublic(resource),
          )
          const expectedChecks = [...inWorkspace(expected), ...byAnybody]
          assertSame(names(allowed), names(expectedChecks), `checked ${name}`)
          await requireByToken(tokenSubject, name, expectedChecks)
          const ids = await listAccessible({ ...kind, action: name, workspace_id }, token)
          const expectedIds = inWorkspace(expected).map(({ id }) => id)
          assertSame(ids, expectedIds.toSorted(), `accessible for ${name}`)
        }
      }
      /** Evaluations with an access token, with reasons or without, decide like Check. */
      const requireByToken = async (subject: object, name: string, allowed: SeededResource[]) => {
        for (const explain of [false, true]) {
          const evaluations = resources.map(({ id }) => ({
            subject,
            action: { name },
            resource: { type: resourceType, id },
            context: { explain },
          }))
          const { evaluations: results } = await call('EvaluateBatch', { evaluations })
          for (const [index, { decision, context }] of results.entries()) {
            const resource = resources[index] as SeededResource
            if (decision !== allowed.includes(resource))
              throw new Error(`${name} by token: ${decision} for ${resource.id}`)
            if (!explain || !decision) continue
            const rules = context.reasons.map(({ rule }: { rule: string }) => rule)
            if (rules.length === 0) throw new Error(`${name} by token is not explained`)
          }
        }
      }
      /** Subjects without an account may view what is public, and nothing else. */
      const requireNobody = async (subject: object, name: string) => {
        const open = name === 'view' && isMet('view') ? resources.filter(isPublic) : []
        for (const explain of [false, true]) {
          const evaluations = resources.map(({ id }) => ({
            subject,
            action: { name },
            resource: { type: resourceType, id },
            context: { explain },
          }))
          const { evaluations: results } = await call('EvaluateBatch', { evaluations })
          const allowed = resources.filter((_, index) => results[index].decision)
          assertSame(names(allowed), names(open), `${name} by nobody`)
          if (!explain) continue
          for (const { decision, context } of results)
            if (context.reasons.some(({ rule }: any) => (rule === 'public') !== decision))
              throw new Error(`${decision} explained as ${JSON.stringify(context.reasons)}`)
        }
      }
      const requireAnonymous = async (name: string) => {
        const subject = { type: 'anonymous', id: 'nobody' }
        const unknown = { type: 'user', id: randomUUID() }
        await requireNobody(subject, name)
        await requireNobody(unknown, name)
        const message = { subject, action: { name }, resource: { type: resourceType } }
        for (const workspace_id of workspaceIds) {
          const open = resources.filter(
            (one) =>
              name === 'view' && isMet('view') && one.workspace === workspace_id && isPublic(one),
          )
          const found = await search('SearchResources', { ...message, context: { workspace_id } })
          assertSame(found, names(open), `public ${name}`)
        }
        for (const resource of resources) {
          const named = { type: resourceType, id: resource.externalId ?? resource.id }
          const found = await search('SearchActions', { subject, resource: named })
          assertSame(
            found,
            isPublic(resource) && isMet('view') ? ['view'] : [],
            'actions of nobody',
          )
        }
      }
      // Concurrent calls share statements.
      await Promise.all([
        ...actions.map(requireAnonymous),
        ...resources.map(requireResource),
        ...users.flatMap((user) => actions.map((name) => requireUser(user, name))),
      ])
    }),
    { numRuns: 6, includeErrorInReport: true },
  )
  t.pass()
})

test('changes between pages of a search neither hide nor repeat results that stay allowed', async (t) => {
  const environment = await startTestEnvironment()
  t.teardown(() => environment.stop())
  const { seed, pool } = environment
  for (const transport of environment.transports) {
    const fixture = await createWorkspaceFixture(environment, transport)
    const { workspace, people, key, service } = fixture
    const users = await Promise.all(
      Array.from({ length: 12 }, () => seed.newMember(workspace, 'viewer')),
    )
    const records = await Promise.all(
      Array.from({ length: 12 }, () => fixture.register(people.owner)),
    )
    const [record] = records as [ResourceRecord]
    const [user] = users as [string]
    for (const id of users) await fixture.share(people.owner, record, { user: id }, 'view')
    for (const one of records.slice(1)) await fixture.share(people.owner, one, { user }, 'view')
    const actions = Array.from(
      { length: 12 },
      (_, index) => `action-${String(index).padStart(2, '0')}`,
    )
    const actionIds = new Map<string, string>()
    for (const name of actions) actionIds.set(name, await seed.serviceAction(service, name))
    const role = await seed.customRole(workspace, [...actionIds.values()], [user])

    const resource = { type: record.resource_type, id: record.resource_id }
    const subject = { type: 'user', id: user }
    const action = { name: 'view' }
    const searches = [
      {
        method: 'SearchSubjects',
        message: { subject: { type: 'user' }, action, resource },
        all: [...users, people.owner.id, people.admin.id],
        revoke: (ids: string[]) =>
          pool.query('delete from shares where user_id = any($1) and resource_id = $2', [
            ids,
            record.resource_id,
          ]),
      },
      {
        method: 'SearchResources',
        message: { subject, action, resource: { type: record.resource_type } },
        all: records.map(({ resource_id }) => resource_id),
        revoke: (ids: string[]) =>
          pool.query('delete from shares where resource_id = any($1)', [ids]),
      },
      {
        method: 'SearchActions',
        message: { subject, resource },
        all: ['view', ...actions],
        revoke: (names: string[]) =>
          pool.query(
            'delete from custom_role_actions where role_id = $1 and service_action_id = any($2)',
            [role, names.map((name) => actionIds.get(name))],
          ),
      },
    ]
    const permanent = [people.owner.id, people.admin.id, record.resource_id, 'view']
    for (const { method, message, all, revoke } of searches.toReversed()) {
      const read = async (page: object) =>
        expectOk(await transport.call(method, { ...message, page }, { key }))
      const first = await read({ limit: 4 })
      const nameOf = (one: { id?: string; name?: string }) => one.name ?? one.id ?? ''
      const seen: string[] = first.results.map(nameOf)
      // Revokes two results of the first page and the next result. Later pages must neither skip
      // nor repeat any other result.
      const isRevocable = (one: string) => !permanent.includes(one)
      const returned = seen.filter(isRevocable).slice(0, 2)
      const [next = ''] = all.filter((one) => !seen.includes(one) && isRevocable(one)).toSorted()
      await revoke([...returned, next])
      let token = first.page.next_token
      while (token) {
        const { page, results } = await read({ token })
        seen.push(...results.map(nameOf))
        token = page.next_token
      }
      t.is(new Set(seen).size, seen.length, `${method} repeats no result`)
      t.deepEqual(
        seen.toSorted(),
        all.filter((one) => one !== next).toSorted(),
        `${method} over ${transport.label}`,
      )
    }
  }
})

test('a search finds every subject, even those with many shares and groups', async (t) => {
  const environment = await startTestEnvironment()
  t.teardown(() => environment.stop())
  const transport = environment.transports[0] as Transport
  const fixture = await createWorkspaceFixture(environment, transport)
  const { workspace, people, key, kind } = fixture
  const addUsers = () =>
    Promise.all(Array.from({ length: 40 }, () => environment.seed.newMember(workspace, 'viewer')))
  const [grouped, direct] = [await addUsers(), await addUsers()]
  const record = await fixture.register(people.owner)
  // The shares of the first few users alone have enough rows to fill a page.
  for (let count = 0; count < 5; count += 1) {
    const group = await environment.seed.group(workspace, grouped)
    await fixture.share(people.owner, record, { group }, 'view')
  }
  for (const user of direct) await fixture.share(people.owner, record, { user }, 'view')
  const found: string[] = []
  let token = ''
  do {
    const message = {
      subject: { type: 'user' },
      action: { name: 'view' },
      resource: { type: kind.resource_type, id: record.resource_id },
      page: token ? { token } : { limit: 30 },
    }
    const { page, results } = expectOk(await transport.call('SearchSubjects', message, { key }))
    found.push(...results.map(({ id }: { id: string }) => id))
    token = page.next_token
  } while (token)
  t.deepEqual(found, [...grouped, ...direct, people.owner.id, people.admin.id].toSorted())
})

/** Returns a request, and the items of a batch, with members in their context. */
function withContext(message: Record<string, any>, context: object): object {
  const withOwn = (one: Record<string, any>) => ({
    ...one,
    context: { ...one.context, ...context },
  })
  if (!message.evaluations) return withOwn(message)
  return { ...message, evaluations: message.evaluations.map(withOwn) }
}

/** Whether the resource or an ancestor that it inherits from is public. */
function isPublic({ visibility, parent }: SeededResource): boolean {
  return visibility === 'public' || (parent !== undefined && isPublic(parent))
}

/** Returns the reasons why a user may perform a built-in action, as `describeReason` does. */
function findGrants(
  resource: SeededResource,
  user: string,
  role: string | undefined,
  action: string,
  isInside: boolean,
): string[] {
  const coversWorkspace = role === 'owner' || role === 'admin'
  const found = coversWorkspace ? ['workspace_role'] : []
  for (let current: SeededResource | undefined = resource; current; current = current.parent) {
    const origin = current === resource ? '' : ` of ${current.id}`
    const isOpen = current.visibility !== 'private' && action !== 'manage'
    const rule = current.visibility === 'public' ? 'public' : 'workspace_visibility'
    if (role && current.owner === user) found.push(`owner${origin}`)
    if (isOpen && (action === 'view' ? role || rule === 'public' : role && role !== 'viewer'))
      found.push(`${rule}${origin}`)
    if (!role) continue
    for (const { rule, users, permission, isConditional } of current.shares) {
      if (isConditional && !isInside) continue
      const isSufficient = actionsOf(permission).includes(action)
      if (isSufficient && users.includes(user)) found.push(`${rule} ${permission}${origin}`)
    }
  }
  return found
}

/** Returns the built-in actions that a permission or a role allows. */
function actionsOf(permission: string): string[] {
  if (permission === 'view') return ['view']
  if (permission === 'edit') return ['view', 'edit']
  const actions = shareRoles[permission] ?? []
  return actions.some((action) => action !== 'publish') ? ['view', ...actions] : actions
}

/** Describes a reason: `share view of 5f0c…` is a share of the ancestor with this ID. */
function describeReason(reason: Record<string, any>): string {
  const granted = reason.permission ?? (reason.share_id && reason.role)
  const permission = granted ? ` ${granted}` : ''
  const origin = reason.inherited_from ? ` of ${reason.inherited_from.resource_id}` : ''
  return `${reason.rule}${permission}${origin}`
}

function assertSame(actual: string[], expected: string[], label: string): void {
  if (actual.join() !== expected.join())
    throw new Error(`${label}: ${actual} instead of ${expected}`)
}
