import { randomUUID } from 'node:crypto'
import test from 'ava'
import fc from 'fast-check'
import { roles } from '../../src/core/roles.ts'
import { toResourceId } from '../../src/permissions/evaluate/resource-id.ts'
import { expectOk } from '../support/outcome.ts'
import { startTestEnvironment, type TestEnvironment } from '../support/test-environment.ts'
import type { Transport } from '../support/transports.ts'

const kind = { service_name: 'docs', resource_type: 'document' }
const actions = ['edit', 'manage', 'publish', 'unregistered', 'view']
const owner = fc.nat(2)

/** Random facts about two workspaces with the same three users, identified by index. */
const workspaces = fc.array(
  fc.record({
    roles: fc.array(fc.constantFrom(undefined, ...roles), { minLength: 3, maxLength: 3 }),
    group: fc.uniqueArray(fc.nat(2), { maxLength: 3 }),
    publishers: fc.uniqueArray(fc.nat(2), { maxLength: 2 }),
    resources: fc.array(
      fc.record({
        owner,
        visibility: fc.constantFrom('private', 'workspace'),
        hasExternalId: fc.boolean(),
        userShare: fc.option(
          fc.record({ user: fc.nat(2), permission: fc.constantFrom('view', 'edit') }),
          { nil: undefined },
        ),
        groupShare: fc.option(fc.constantFrom('view', 'edit'), { nil: undefined }),
      }),
      { minLength: 1, maxLength: 4 },
    ),
  }),
  { minLength: 2, maxLength: 2 },
)

type World = typeof workspaces extends fc.Arbitrary<infer Value> ? Value : never
type Found = { id: string; externalId: string | null; workspace: string }

test('Evaluate, its reasons, the searches, Check and Accessible agree on random facts', async (t) => {
  const environment = await startTestEnvironment()
  t.teardown(() => environment.stop())
  const { key } = await environment.seed.serviceApp(kind.service_name)
  const foreign = await environment.seed.serviceApp('other')
  const publish = await environment.seed.serviceAction(kind.service_name, 'publish')
  const transport = environment.transports[0] as Transport
  const call = async (method: string, message: object, credentials: object = { key }) =>
    expectOk(await transport.call(method, message, credentials))

  /** All results of a search, read in pages of two. */
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

  await fc.assert(
    fc.asyncProperty(workspaces, async (world) => {
      const { users, workspaceIds, resources } = await seedWorld(environment, world, publish)
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
        const denials = ['not_a_member', 'action_unknown', 'no_grant']
        const isExplained = decision
          ? rules.length > 0 && !rules.some((rule: string) => denials.includes(rule))
          : rules.length === 1 && denials.includes(rules[0])
        if (!isExplained) throw new Error(`${decision} explained as ${rules}`)
      }
      const isAllowed = (user: string, action: string, { id, externalId }: Found) =>
        decided.get(`${user} ${action} ${externalId ?? id}`)
      const names = (list: Found[]) => list.map(({ id, externalId }) => externalId ?? id).toSorted()

      for (const resource of resources) {
        const named = { type: resourceType, id: resource.externalId ?? resource.id }
        for (const name of actions) {
          const message = { action: { name }, resource: named }
          const found = await search('SearchSubjects', { ...message, subject: { type: 'user' } })
          const expected = users.filter((user) => isAllowed(user, name, resource)).toSorted()
          assertSame(found, expected, `subjects of ${name}`)
          const theirs = { ...message, subject: { type: 'user' } }
          const { results } = await call('SearchSubjects', theirs, { key: foreign.key })
          assertSame(results, [], 'subjects for another service')
        }
        for (const user of users) {
          const subject = { type: 'user', id: user }
          const found = await search('SearchActions', { subject, resource: named })
          const expected = actions.filter((name) => isAllowed(user, name, resource))
          assertSame(found, expected, 'actions')
        }
      }
      for (const user of users) {
        for (const name of actions) {
          const subject = { type: 'user', id: user }
          const message = { subject, action: { name }, resource: { type: resourceType } }
          const expected = resources.filter((resource) => isAllowed(user, name, resource))
          assertSame(await search('SearchResources', message), names(expected), `all ${name}`)
          for (const workspace_id of workspaceIds) {
            const inWorkspace = (list: Found[]) =>
              list.filter(({ workspace }) => workspace === workspace_id)
            const found = await search('SearchResources', { ...message, context: { workspace_id } })
            assertSame(found, names(inWorkspace(expected)), `${name} in a workspace`)
            const token = await environment.token(user, workspace_id)
            const tokenSubject = { type: 'access_token', id: token }
            const byToken = await search('SearchResources', { ...message, subject: tokenSubject })
            assertSame(byToken, names(inWorkspace(expected)), `${name} by token`)
            // A token of a user who is not a member is revoked.
            if (!world[workspaceIds.indexOf(workspace_id)]?.roles[users.indexOf(user)]) continue
            const checks = resources.map(({ id }) => ({ ...kind, resource_id: id, action: name }))
            const checked = await call('Check', { checks }, { key, token })
            const allowed = resources.filter((_, index) => checked.results[index].allowed)
            assertSame(names(allowed), names(inWorkspace(expected)), `checked ${name}`)
          }
        }
      }
    }),
    { numRuns: 10 },
  )
  t.pass()
})

function assertSame(actual: string[], expected: string[], what: string): void {
  if (actual.join() !== expected.join())
    throw new Error(`${what}: ${actual} instead of ${expected}`)
}

async function seedWorld({ seed, pool }: TestEnvironment, world: World, publish: string) {
  const users = [await seed.user(), await seed.user(), await seed.user()]
  const workspaceIds: string[] = []
  const resources: Found[] = []
  const insertKind = `insert into resource_kinds (service_name, resource_type) values ($1, $2)
    on conflict (service_name, resource_type) do update set service_name = excluded.service_name
    returning id`
  const { rows } = await pool.query(insertKind, [kind.service_name, kind.resource_type])
  const kindId = rows[0].id
  for (const facts of world) {
    const workspace = await seed.workspace()
    workspaceIds.push(workspace)
    for (const [index, role] of facts.roles.entries())
      if (role) await seed.member(workspace, users[index] as string, role)
    const members = (indexes: number[]) =>
      indexes.filter((index) => facts.roles[index]).map((index) => users[index] as string)
    const group = await seed.group(workspace, members(facts.group))
    await seed.customRole(workspace, [publish], members(facts.publishers))
    for (const resource of facts.resources) {
      const externalId = resource.hasExternalId ? `doc-${randomUUID()}` : null
      const id = externalId
        ? toResourceId(kind.service_name, kind.resource_type, externalId)
        : randomUUID()
      await pool.query(
        `insert into resources (id, kind_id, resource_id, external_id, workspace_id, owner_id, visibility)
         values ($1, $2, $1, $3, $4, $5, $6)`,
        [id, kindId, externalId, workspace, users[resource.owner], resource.visibility],
      )
      const share = (column: string, grantee: string, permission: string) =>
        pool.query(
          `insert into shares (id, kind_id, resource_id, workspace_id, ${column}, permission)
           values ($1, $2, $3, $4, $5, $6)`,
          [randomUUID(), kindId, id, workspace, grantee, permission],
        )
      const { userShare, groupShare } = resource
      if (groupShare) await share('group_id', group, groupShare)
      const [grantee] = userShare ? members([userShare.user]) : []
      if (userShare && grantee) await share('user_id', grantee, userShare.permission)
      resources.push({ id, externalId, workspace })
    }
  }
  return { users, workspaceIds, resources }
}
