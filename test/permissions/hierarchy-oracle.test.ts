import { credentials } from '@grpc/grpc-js'
import test from 'ava'
import fc from 'fast-check'
import { PermissionServiceClient } from '../../gen/daikon/v1/permissions.ts'
import { requireAgreement, requireMemberChecks } from '../support/hierarchy-agreement.ts'
import { findLongestChain, readWorld, type World } from '../support/hierarchy-world.ts'
import { expectError } from '../support/outcome.ts'
import { startTestEnvironment } from '../support/test-environment.ts'
import { repeatLockTimeouts } from '../support/transports.ts'
import { anyChange, apply, firstChanges, isImpossible, send } from '../support/world-changes.ts'
import { anyContext } from '../support/world-conditions.ts'
import { createWorldFixture } from '../support/world-fixture.ts'

const environment = await startTestEnvironment()
/** The other node reads the folders of a list only if there is at most one, and few children a page. */
const other = await environment.addNode({
  MAX_FACTS_CACHE_BYTES: 10_000_000,
  listBudgetsOf: () => [
    { folders: 0, children: 3 },
    { folders: 1, children: 5 },
  ],
})
const { pool } = environment
const clients = [environment, other].map(
  ({ grpcPort }) =>
    new PermissionServiceClient(`127.0.0.1:${grpcPort}`, credentials.createInsecure()),
)
test.after.always(() => {
  for (const client of clients) client.close()
  return environment.stop()
})

const transports = [...environment.transports, ...other.transports].map(repeatLockTimeouts)
const nodes = { environment, transports, clients }
/** Milliseconds after which a slow machine stops generating worlds. */
const timeLimit = 60_000

/** Converts a world to comparable text. A type without resources has no known requirements. */
function normalize({
  groups,
  resources,
  links,
  requirements,
}: Omit<World, 'users' | 'roles'>): string {
  const facts = {
    groups,
    resources,
    links: links.toSorted((one, two) => (one.id < two.id ? -1 : 1)),
    requirements:
      resources.length > 0 &&
      requirements
        .map((one) => `${one.action} ${one.condition} ${one.inherited ?? false}`)
        .toSorted(),
  }
  return JSON.stringify(facts, (_, value) =>
    value && typeof value === 'object' && !Array.isArray(value)
      ? Object.fromEntries(
          Object.keys(value)
            .toSorted()
            .map((key) => [key, value[key]]),
        )
      : value,
  )
}

async function readGuests(workspace: string): Promise<string[]> {
  const sql = 'select user_id from members where workspace_id = $1 and is_guest'
  const { rows } = await pool.query(sql, [workspace])
  return rows.map(({ user_id }) => user_id)
}

test.serial(
  'after random changes of both hierarchies, both nodes agree with a naive walk on every decision and list',
  async (t) => {
    t.timeout(600_000)
    const codes: Record<string, number> = {}
    const deadline = performance.now() + timeLimit
    await fc.assert(
      fc.asyncProperty(
        fc.array(anyChange, { minLength: 20, maxLength: 45 }),
        anyContext,
        async (changes, context) => {
          if (performance.now() > deadline) return
          const fixture = await createWorldFixture({ ...nodes, context })
          const { world, workspace, readers } = fixture
          for (const [index, change] of [...firstChanges, ...changes].entries()) {
            // What nodes remember is asked for while it changes.
            if (index % 12 === 11) await requireMemberChecks(world, readers)
            if (isImpossible(fixture, change)) continue
            const outcome = await send(fixture, change)
            const code = outcome.ok ? 'ok' : outcome.code
            const expected = apply(fixture, change, outcome.ok ? outcome.message : {})
            if (code !== expected) throw new Error(`${change.type}: ${code} instead of ${expected}`)
            codes[`${change.type} ${code}`] = (codes[`${change.type} ${code}`] ?? 0) + 1
          }
          const stored = await readWorld(pool, workspace)
          if (normalize(stored) !== normalize(world))
            throw new Error(`stored ${normalize(stored)} instead of ${normalize(world)}`)
          await requireAgreement(world, readers)
        },
      ),
      { numRuns: 7, endOnFailure: true, includeErrorInReport: true },
    )
    t.log(codes)
    for (const change of [
      'move already_exists',
      'link already_exists',
      'createLink ok',
      'require ok',
    ])
      t.true((codes[change] ?? 0) > 0, change)
  },
)

test.serial(
  'after random concurrent changes on two nodes, the trees are valid and every decision matches a naive walk',
  async (t) => {
    t.timeout(600_000)
    const codes: Record<string, number> = {}
    const deadline = performance.now() + timeLimit
    const expectedCodes = [
      'ok',
      'already_exists',
      'not_found',
      'invalid_argument',
      'permission_denied',
    ]
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(anyChange, { minLength: 12, maxLength: 12 }), {
          minLength: 3,
          maxLength: 3,
        }),
        anyContext,
        async (bursts, context) => {
          if (performance.now() > deadline) return
          const fixture = await createWorldFixture({ ...nodes, context })
          const { world, workspace, readers } = fixture
          for (const burst of bursts) {
            Object.assign(world, await readWorld(pool, workspace))
            const possible = burst.filter((change) => !isImpossible(fixture, change))
            for (const outcome of await Promise.all(
              possible.map((change) => send(fixture, change)),
            )) {
              const code = outcome.ok ? 'ok' : outcome.code
              codes[code] = (codes[code] ?? 0) + 1
              if (!expectedCodes.includes(code))
                throw new Error(JSON.stringify(expectError(outcome)))
            }
          }
          Object.assign(world, await readWorld(pool, workspace))
          const guests = await readGuests(workspace)
          for (const user of world.users) user.guest = guests.includes(user.id)
          if (findLongestChain(world) > 32) throw new Error('A chain is too long')
          await requireAgreement(world, readers)
        },
      ),
      { numRuns: 5, endOnFailure: true, includeErrorInReport: true },
    )
    t.log(codes)
    t.true((codes.ok ?? 0) > 10)
  },
)
