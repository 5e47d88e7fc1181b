import { randomUUID } from 'node:crypto'
import test from 'ava'
import fc from 'fast-check'
import { type AccessRow, openAccessWatchOver } from '../support/access-watch.ts'
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
import type { Transport } from '../support/transports.ts'

const actions = ['edit', 'manage', 'publish', 'unregistered', 'view']

/** What is declared: the actions that require a condition, and whether the type allows `public`. */
const declarations = fc.record({
  required: fc.uniqueArray(fc.constantFrom('edit', 'publish', 'view'), { maxLength: 1 }),
  allowsPublic: fc.boolean(),
})

/** Changes after the first comparison, as an operator makes them. */
const changes = {
  'shares end': 'delete from shares where random() < 0.5',
  'shares change': "update shares set permission = 'edit' where condition is null",
  'owners change': `update resources r set owner_id = coalesce((
    select user_id from members m where m.workspace_id = r.workspace_id order by random() limit 1
  ), owner_id)`,
  'visibilities change': "update resources set visibility = 'public' where random() < 0.5",
  'resources are moved': 'update resources set parent_id = null where random() < 0.5',
  'resources stop inheriting': 'update resources set inherits = not inherits',
  'members leave': 'delete from members where random() < 0.3',
  'resources are deleted': `delete from resources r where random() < 0.3
    and not exists (select from resources c where c.parent_id = r.id)`,
}

type Keys = { grants: Pairs[]; maybe_grants: Pairs[] }
type Pairs = { holders: string[]; levels: string[] }

function namesOf(pairs: Pairs[]): Set<string> {
  return new Set(
    pairs.flatMap(({ holders, levels }) =>
      holders.flatMap((holder) => levels.map((level) => `${holder} ${level}`)),
    ),
  )
}

/** How a row is shown to the holder of keys, with the folders among all rows. */
function judge(row: AccessRow, rows: AccessRow[], keys: Keys): 'certain' | 'maybe' | 'hidden' {
  const [certain, maybe] = [namesOf(keys.grants), namesOf(keys.maybe_grants)]
  const folders = rows.filter(({ inherit_key }) => row.inherits_from.includes(inherit_key))
  const accepted = [row, ...folders].flatMap(({ own }) => own)
  const nameOf = ({ holder, level }: AccessRow['own'][number]) => `${holder} ${level}`
  if (accepted.some((pair) => !pair.maybe && certain.has(nameOf(pair)))) return 'certain'
  const isMet = accepted.some((pair) => certain.has(nameOf(pair)) || maybe.has(nameOf(pair)))
  return isMet ? 'maybe' : 'hidden'
}

test('what a stream has sent and keys that are asked for agree with decisions while the world changes', async (t) => {
  t.timeout(600_000)
  const environment = await startTestEnvironment()
  t.teardown(() => environment.stop())
  const { pool } = environment
  const { key } = await environment.seed.serviceApp(kind.service_name)
  const publish = await environment.seed.serviceAction(kind.service_name, 'publish')
  const transport = environment.transports[0] as Transport
  const call = async (method: string, message: object, token?: string) =>
    expectOk(await transport.call(method, message, token === undefined ? { key } : { key, token }))
  const roles = Object.entries(shareRoles).map(([name, of]) => ({ name, actions: of }))
  const expression = "in_cidr(context.address, '10.0.0.0/8')"
  const conditions = [{ name: office, description: '', expression, parameters: {} }]
  const watch = openAccessWatchOver.grpc(environment, { service_name: kind.service_name }, { key })
  t.teardown(() => watch.stop())
  let decisions = 0
  let maybes = 0

  /** Compares every subject, action and resource, with every context. */
  async function compare(users: string[], resources: SeededResource[]): Promise<void> {
    await watch.settle()
    const rows = watch.rows()
    const all = [...rows.values()]
    const subjects = [
      ...users.map((id) => ({ type: 'user', id })),
      { type: 'anonymous', id: 'anyone' },
      { type: 'user', id: randomUUID() },
    ]
    for (const subject of subjects)
      for (const name of actions) {
        const keys = (await call('GetAccessKeys', { ...kind, action: name, subject })) as Keys
        for (const context of Object.values(contexts)) {
          const evaluations = resources.map(({ id }) => ({
            subject,
            action: { name },
            resource: { type: kind.resource_type, id },
            context,
          }))
          const decided = await call('EvaluateBatch', { evaluations })
          for (const [index, { id }] of resources.entries()) {
            const row = rows.get(`${kind.resource_type}/${id}`)
            const shown = row ? judge(row, all, keys) : 'hidden'
            const { decision } = decided.evaluations[index]
            const where = `${subject.type} ${subject.id} ${name} ${id}: ${shown}, ${decision}`
            if (shown === 'certain' && !decision) throw new Error(where)
            if (shown === 'hidden' && decision) throw new Error(where)
            decisions += 1
            if (shown === 'maybe') maybes += 1
          }
        }
      }
  }

  await fc.assert(
    fc.asyncProperty(
      workspaces,
      declarations,
      fc.constantFrom(...Object.keys(changes)),
      async (world, { required, allowsPublic }, change) => {
        const requirements = required.map((action) => ({ action, condition: office }))
        const declaration = { ...kind, roles, conditions, requirements, allow_public: true }
        await call('PutResourceType', declaration)
        // A declaration cannot take `public` from resources that have it.
        await pool.query('update resource_types set allow_public = $1', [allowsPublic])
        const { users, resources } = await seedWorld(environment, world, publish)
        await compare(users, resources)
        await pool.query(changes[change as keyof typeof changes])
        await compare(users, resources)
      },
    ),
    { numRuns: 12, includeErrorInReport: true },
  )
  t.true(maybes > 0)
  t.log(`${decisions} decisions, ${maybes} of which a check must make`)
})
