import test from 'ava'
import fc from 'fast-check'
import { lazyCondition, manyCondition } from '../../clients/typescript/src/access/copy/sql/lists.ts'
import { createAccess } from '../../clients/typescript/src/access.ts'
import { createDaikon } from '../../clients/typescript/src/daikon.ts'
import { createDocuments } from '../support/accepts-column.ts'
import { findPosition } from '../support/access-copy.ts'
import {
  kind,
  type SeededResource,
  seedWorld,
  shareRoles,
  workspaces,
} from '../support/access-world.ts'
import { cloneDatabase } from '../support/database.ts'
import { expectOk } from '../support/outcome.ts'
import { startTestEnvironment } from '../support/test-environment.ts'
import type { Transport } from '../support/transports.ts'
import { waitUntil } from '../support/wait-until.ts'

/** Changes of the world, as an operator makes them. */
const changes = {
  'shares are revoked': 'delete from shares where random() < 0.5',
  'shares end later': `update shares set expires_at = now() + interval '1 hour' where random() < 0.2`,
  'visibilities change': "update resources set visibility = 'public' where random() < 0.5",
  'parents are moved': 'update resources set parent_id = null where random() < 0.5',
  'resources stop inheriting': 'update resources set inherits = not inherits',
  'resources are deleted': `delete from resources r where random() < 0.3
    and not exists (select from resources c where c.parent_id = r.id)`,
}

test('columns and the copy show every subject the same documents while the world changes', async (t) => {
  t.timeout(600_000)
  const environment = await startTestEnvironment()
  const { pool, seed } = environment
  const { key: serviceKey } = await seed.serviceApp(kind.service_name)
  const publish = await seed.serviceAction(kind.service_name, 'publish')
  const transport = environment.transports[0] as Transport
  const roles = Object.entries(shareRoles).map(([name, of]) => ({ name, actions: of }))
  const conditions = [
    { name: 'office', description: '', expression: 'context.inside == true', parameters: {} },
  ]
  const declaration = { ...kind, roles, conditions, requirements: [], allow_public: true }
  expectOk(await transport.call('PutResourceType', declaration, { key: serviceKey }))

  const service = await cloneDatabase()
  await createDocuments(service.pool, 'text')
  const daikon = createDaikon({
    service: kind.service_name,
    serviceKey,
    address: `127.0.0.1:${environment.grpcPort}`,
    deadlineMs: 60_000,
  })
  const access = createAccess({
    daikon,
    pool: service.pool,
    types: { document: 'text' },
    columns: { document: 'documents.daikon_accepts' },
  })
  t.teardown(async () => {
    await access.close()
    daikon.close()
    await service.drop()
    await environment.stop()
  })
  const failures: Error[] = []
  void access.follow({ onDisconnect: (error) => failures.push(error) })

  async function settle(): Promise<void> {
    const position = await findPosition(pool)
    await waitUntil(() =>
      access.waitFor(position).then(
        () => true,
        () => false,
      ),
    )
  }

  const insert = (resources: SeededResource[]) =>
    service.pool.query('insert into documents select unnest($1::text[]) on conflict do nothing', [
      resources.map(({ id, externalId }) => externalId ?? id),
    ])

  let shown = 0
  let kept = 0

  /** Compares what each subject sees by the column and by the copy, and with checks. */
  async function compare(users: string[]): Promise<void> {
    const { rows } = await service.pool.query(
      'select count(daikon_accepts)::int as kept from documents',
    )
    kept += rows[0].kept
    for (const subject of [...users.map((userId) => ({ userId })), { anonymous: true as const }])
      for (const action of ['view', 'edit', 'publish'])
        for (const includeMaybe of [false, true]) {
          const visible = await access.visible(subject, action, 'document', {
            includeMaybe,
          })
          const list = { type: 'document', includesMaybe: includeMaybe, workspaceId: undefined }
          const parts = ['d.id', '$1'] as const
          const lists = [visible.sql(...parts)].concat(
            ...[manyCondition, lazyCondition].map((condition) => [
              condition(list, ...parts),
              condition(list, ...parts, 'd.daikon_accepts'),
            ]),
          )
          const found = await Promise.all(
            lists.map(async (condition) => {
              const text = `select id from documents d where ${condition} order by id`
              const { rows } = await service.pool.query(text, [visible.keys])
              return rows.map(({ id }) => id as string)
            }),
          )
          for (const ids of found) t.deepEqual(ids, found[0])
          const ids = found[0] ?? []
          shown += ids.length
          if (includeMaybe) continue
          const checks = ids.map((id) => ({
            subject,
            action,
            resource: { type: 'document', id },
          }))
          t.true((await daikon.checkMany(checks)).every(Boolean))
        }
  }

  await fc.assert(
    fc.asyncProperty(
      workspaces,
      fc.shuffledSubarray(Object.keys(changes), { minLength: 2, maxLength: 3 }),
      fc.boolean(),
      async (world, changed, isRefilled) => {
        const { users, resources } = await seedWorld(environment, world, publish)
        await insert(resources.filter((_, index) => index % 2 === 0))
        await settle()
        await insert(resources)
        await compare(users)
        for (const change of changed) {
          await pool.query(changes[change as keyof typeof changes])
          await settle()
          await compare(users)
        }
        if (!isRefilled) return
        // The next follower fills the copy again, and then lists read its column.
        await service.pool.query(
          'update daikon_access.state set cursor = null, follower = gen_random_uuid()',
        )
        await waitUntil(async () => {
          const { rows } = await service.pool.query(
            `select swept = generation and complete and follower = (
              select follower from daikon_access.columns) as is_filled from daikon_access.state`,
          )
          return rows[0].is_filled
        })
        await compare(users)
      },
    ),
    { numRuns: 6, includeErrorInReport: true },
  )
  t.true(shown > 0 && kept > 0)
  t.log(`${shown} rows shown; ${kept} columns with keys compared`)
  t.true(failures.every(({ message }) => message === 'Another follower has taken over'))
})
