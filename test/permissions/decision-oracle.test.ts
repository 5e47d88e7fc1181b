import test from 'ava'
import fc from 'fast-check'
import {
  anyFacts,
  declareTypes,
  readWorld,
  seedFacts,
  service_name,
  types,
} from '../support/decision-facts.ts'
import type { World } from '../support/hierarchy-world.ts'
import { startTestEnvironment } from '../support/test-environment.ts'
import type { WorldRequirement } from '../support/world-conditions.ts'
import { decideNaively } from '../support/world-decisions.ts'

const actions = ['view', 'edit', 'manage', 'publish', 'unheard-of']

test('Check and Accessible agree with an independent decision on random facts', async (t) => {
  const environment = await startTestEnvironment()
  t.teardown(() => environment.stop())
  await environment.seed.serviceAction(service_name, 'publish')
  const remembering = await environment.addNode({ MAX_FACTS_CACHE_BYTES: 10_000_000 })
  const [transport] = environment.transports
  if (!transport) return t.fail()
  await fc.assert(
    fc.asyncProperty(anyFacts, async (facts) => {
      await declareTypes(environment, facts)
      const seeded = await seedFacts(environment, facts)
      const { workspace, users, resources } = seeded
      const world = await readWorld(environment, facts, seeded)
      const { context } = facts
      for (const person of users) {
        const token = await environment.token(person.id, workspace)
        for (const action of actions) {
          const expected = world.resources.filter((resource) => {
            const subject = { ...person, type: 'user' as const }
            return decideNaively({ world, subject, action, resource, context })
          })
          const expectedIds = expected.map(({ resource_id }) => resource_id)
          // Large batches of one caller use a different query plan from small ones.
          for (const times of [1, 16]) {
            const rounds = Array.from({ length: times }, () => resources)
            const checks = rounds.flat().map((resource_id) => ({
              service_name,
              resource_type: world.resources.find((one) => one.resource_id === resource_id)?.type,
              action,
              resource_id,
            }))
            const node = times === 1 ? remembering.transports[0] : transport
            const checked = await (node ?? transport).call('Check', { checks, context }, { token })
            if (!person.role) {
              if (checked.ok) throw new Error('Check succeeded for a user who is not a member')
              continue
            }
            if (!checked.ok) throw new Error(checked.detail)
            const allowed = rounds
              .flat()
              .filter((_, index) => checked.message.results[index].allowed)
            assertSame(
              allowed,
              rounds.flatMap(() => expectedIds),
              `check ${action}`,
            )
          }

          for (const resource_type of types) {
            const listed = await transport.call(
              'Accessible',
              { service_name, resource_type, action, context, workspace_id: workspace },
              { token },
            )
            if (!person.role) {
              if (listed.ok) throw new Error('Accessible succeeded for a user who is not a member')
              continue
            }
            if (!listed.ok) throw new Error(listed.detail)
            const isOfType = ({ type }: { type?: string }) => type === resource_type
            const expectedOfType = idsOf(expected.filter(isOfType))
            assertSame(
              listed.message.resource_ids,
              expectedOfType.toSorted(),
              `accessible ${resource_type} ${action}`,
            )
            if (!listed.message.has_full_access) continue
            if (person.guest) throw new Error('Full access of a guest')
            const binds = ({ type, inherited }: WorldRequirement) =>
              inherited || type === resource_type
            if (world.requirements.some((one) => one.action === action && binds(one)))
              throw new Error(`Full access despite a requirement of ${action}`)
            if (action !== 'unheard-of')
              assertSame(expectedOfType, idsOf(world.resources.filter(isOfType)), 'full access')
          }
        }
      }
    }),
    { numRuns: 60, includeErrorInReport: true },
  )
  t.pass()
})

const idsOf = (resources: World['resources']) => resources.map(({ resource_id }) => resource_id)

function assertSame(actual: string[], expectedIds: string[], what: string): void {
  if (actual.join() !== expectedIds.join())
    throw new Error(`${what}: ${actual} instead of ${expectedIds}`)
}
