import test from 'ava'
import fc from 'fast-check'
import { createEngine, type Engine } from '../../src/permissions/engine/engine.ts'
import { decide } from '../../src/permissions/engine/facts.ts'
import {
  anyFacts,
  declareTypes,
  readWorld,
  type SeededFacts,
  seedFacts,
  service_name,
} from '../support/decision-facts.ts'
import { insertDelegation } from '../support/delegation-rows.ts'
import {
  anyTerms,
  coversNaively,
  type Terms,
  type WorldDelegation,
} from '../support/delegation-world.ts'
import type { World } from '../support/hierarchy-world.ts'
import { startTestEnvironment, type TestEnvironment } from '../support/test-environment.ts'
import { decideNaively } from '../support/world-decisions.ts'

const actions = ['view', 'edit', 'manage', 'publish', 'unheard-of']

type StoredDelegation = WorldDelegation & { id: string }

/** A change of a world. Numbers are indexes, modulo the number of objects. */
const anyChange = fc.oneof(
  fc.record({ type: fc.constant('end' as const), at: fc.nat(5) }),
  fc.record({ type: fc.constant('expire' as const), at: fc.nat(5) }),
  fc.record({ type: fc.constant('inherit' as const), at: fc.nat(6), inherits: fc.boolean() }),
  fc.record({ type: fc.constant('detach' as const), at: fc.nat(6) }),
  fc.record({ type: fc.constant('unshare' as const), at: fc.nat(6) }),
  fc.record({ type: fc.constant('own' as const), at: fc.nat(6), owner: fc.nat(2) }),
  fc.record({ type: fc.constant('leave' as const), at: fc.nat(2) }),
  fc.record({ type: fc.constant('refuse' as const) }),
)

type Change = typeof anyChange extends fc.Arbitrary<infer Value> ? Value : never

test('a delegation allows what its user may do and it covers, on random facts', async (t) => {
  t.timeout(600_000)
  const environment = await startTestEnvironment()
  t.teardown(() => environment.stop())
  const { database, seed } = environment
  await seed.serviceAction(service_name, 'publish')
  const engines = {
    'without memory': createEngine(database, { keysRequired: false }),
    'with memory': createEngine(database, { keysRequired: false, maxFactsCacheBytes: 20_000_000 }),
  }
  const count = { worlds: 0, decisions: 0, allowed: 0, uncovered: 0, changes: 0 }
  /** A world of an earlier run, whose workspace no delegation of this run covers. */
  let earlier: World | undefined

  await fc.assert(
    fc.asyncProperty(
      anyFacts,
      fc.array(anyTerms, { minLength: 6, maxLength: 6 }),
      fc.array(anyChange, { minLength: 1, maxLength: 3 }),
      async (facts, terms, changes) => {
        await declareTypes(environment, facts)
        const seeded = await seedFacts(environment, facts)
        const { workspace, users } = seeded
        const elsewhere = await seed.workspace()
        for (const { id } of users) await seed.member(elsewhere, id, 'owner')
        const delegations = await Promise.all(
          terms.map((one) => delegate(environment, one, seeded, elsewhere)),
        )
        const before = await readWorld(environment, facts, seeded)
        await compareAll(before, delegations)
        for (const change of changes) {
          await apply(environment, change, seeded, delegations)
          const world = await readWorld(environment, facts, seeded)
          await compareAll(world, delegations)
          count.changes += 1
        }
        earlier = before
        count.worlds += 1

        async function compareAll(world: World, delegations: StoredDelegation[]) {
          const { context } = facts
          const asked = delegations.flatMap((delegation) =>
            world.resources.flatMap((resource) =>
              actions.map((action) => {
                const user = users.find(({ id }) => id === delegation.userId)
                if (!user) throw new Error('unknown user')
                const subject = { ...user, type: 'user' as const }
                const may = decideNaively({ world, subject, action, resource, context })
                const covered = coversNaively(delegation, {
                  ...{ world, workspaceId: workspace, serviceName: service_name },
                  ...{ resource, action },
                })
                // A delegation ends with the membership of its user.
                const expected = may && covered && user.role !== undefined
                if (may && !covered) count.uncovered += 1
                if (expected) count.allowed += 1
                return { delegation, resource, action, expected }
              }),
            ),
          )
          const foreign = (earlier?.resources ?? []).flatMap((resource) =>
            delegations.map((delegation) => ({
              ...{ delegation, resource, action: 'view', expected: false },
            })),
          )
          const all = [...asked, ...foreign]
          const checks = all.map(({ resource, action }) => ({
            serviceName: service_name,
            resourceType: resource.type ?? '',
            resourceId: resource.resource_id,
            action,
            input: { context },
          }))
          for (const [name, engine] of Object.entries(engines))
            for (const time of ['once', 'twice']) {
              const bits = await engine.loadBits(
                all.map(({ delegation }, index) => ({
                  ...(checks[index] as (typeof checks)[number]),
                  subject: { delegationId: delegation.id },
                })),
              )
              const wrong = all.filter(
                ({ action, expected }, index) => decide(action, bits[index]) !== expected,
              )
              count.decisions += all.length
              if (wrong.length > 0) throw new Error(`${name} ${time}: ${describe(wrong)}`)
              for (const delegation of delegations) {
                const own = all.filter((one) => one.delegation === delegation)
                const wrong = await askAsCaller(engine, delegation, own)
                count.decisions += own.length
                if (wrong.length > 0)
                  throw new Error(`${name} ${time}: ${describe(wrong)} as caller`)
              }
            }

          async function askAsCaller(
            engine: Engine,
            delegation: StoredDelegation,
            own: typeof all,
          ) {
            const { id: delegationId, userId, workspaceId } = delegation
            const ownChecks = checks.filter((_, index) => all[index]?.delegation === delegation)
            const caller = { userId, workspaceId, delegationId }
            const { facts } = await engine.ask(caller, () => ({ checks: ownChecks }))
            return own.filter(
              ({ action, expected }, index) => decide(action, facts?.bits[index]) !== expected,
            )
          }
        }
      },
    ),
    { numRuns: 80, includeErrorInReport: true },
  )
  t.log(JSON.stringify(count))
  t.true(count.allowed > 0 && count.uncovered > 0)
})

function describe(
  wrong: {
    delegation: StoredDelegation
    resource: { resource_id: string; type?: string }
    action: string
    expected: boolean
  }[],
): string {
  const [first] = wrong
  return `${wrong.length} wrong; expected ${first?.expected} for ${first?.action} on ${first?.resource.type} ${first?.resource.resource_id} by ${JSON.stringify(first?.delegation)}`
}

async function delegate(
  { pool }: TestEnvironment,
  terms: Terms,
  { users, resources, workspace }: SeededFacts,
  elsewhere: string,
): Promise<StoredDelegation> {
  const delegation = {
    userId: users[terms.user]?.id ?? '',
    workspaceId: terms.isElsewhere ? elsewhere : workspace,
    serviceName: terms.isOfOtherService ? 'other' : service_name,
    actions: terms.actions,
    resourceTypes: terms.resourceTypes,
    resources: terms.resources?.flatMap((index) => resources[index] ?? []) ?? null,
    isLive: !terms.isEnded && !terms.isExpired,
  }
  const now = Date.now()
  const id = await insertDelegation(pool, {
    user_id: delegation.userId,
    workspace_id: delegation.workspaceId,
    service_name: delegation.serviceName,
    actions: delegation.actions,
    resource_types: delegation.resourceTypes,
    resources: delegation.resources,
    ...(terms.isEnded && { ended_at: new Date() }),
    ...(terms.isExpired && { expires_at: new Date(now - 1000) }),
  })
  return { ...delegation, id }
}

/** Applies a change to the database and to what the independent decision reads besides it. */
async function apply(
  { pool }: TestEnvironment,
  change: Change,
  { resources, users, workspace }: SeededFacts,
  delegations: StoredDelegation[],
): Promise<void> {
  const resource = 'at' in change ? resources[change.at % resources.length] : undefined
  const run = (text: string, ...values: unknown[]) => pool.query(text, values)
  switch (change.type) {
    case 'end':
    case 'expire': {
      const delegation = delegations[change.at % delegations.length] as StoredDelegation
      const column = change.type === 'end' ? 'ended_at' : 'expires_at'
      await run(`update delegations set ${column} = now() where id = $1`, delegation.id)
      delegation.isLive = false
      break
    }
    case 'inherit':
      await run('update resources set inherits = $2 where id = $1', resource, change.inherits)
      break
    case 'detach':
      await run('update resources set parent_id = null where id = $1', resource)
      break
    case 'unshare':
      await run('delete from shares where resource_id = $1', resource)
      break
    case 'own':
      await run(
        'update resources set owner_id = $2 where id = $1',
        resource,
        users[change.owner]?.id,
      )
      break
    case 'leave': {
      const user = users[change.at] as SeededFacts['users'][number]
      await run('delete from members where user_id = $1 and workspace_id = $2', user.id, workspace)
      user.role = undefined
      for (const delegation of delegations)
        if (delegation.userId === user.id && delegation.workspaceId === workspace)
          delegation.isLive = false
      break
    }
    case 'refuse':
      await run('update workspaces set delegations = false where id = $1', workspace)
      for (const delegation of delegations)
        if (delegation.workspaceId === workspace) delegation.isLive = false
  }
}
