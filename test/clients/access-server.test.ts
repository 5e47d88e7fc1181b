import test from 'ava'
import { createAccess } from '../../clients/typescript/src/access.ts'
import { createDaikon, type RemoteDaikon } from '../../clients/typescript/src/daikon.ts'
import { createDaikon as createFetchDaikon } from '../../clients/typescript/src/fetch.ts'
import { readClientCases, seedClientCases } from '../support/client-cases.ts'
import { cloneDatabase } from '../support/database.ts'
import { startTestEnvironment } from '../support/test-environment.ts'

const environment = await startTestEnvironment()
const { serviceKey, values } = await seedClientCases(environment, readClientCases())
test.after.always(() => environment.stop())

const workspaceId = values.acme as string
const alice = values.alice as string
const bob = { userId: values.bob as string }
const options = { service: 'docs', serviceKey, deadlineMs: 60_000 }

const clients: Record<string, () => RemoteDaikon> = {
  gRPC: () => createDaikon({ ...options, address: `127.0.0.1:${environment.grpcPort}` }),
  fetch: () => createFetchDaikon({ ...options, url: `http://127.0.0.1:${environment.httpPort}` }),
}

for (const [name, connect] of Object.entries(clients))
  test.serial(
    `lists show what ${name} has changed, once the copy covers its position`,
    async (t) => {
      const daikon = connect()
      const database = await cloneDatabase()
      const { pool } = database
      const access = createAccess({ daikon, pool, types: { page: 'text' } })
      t.teardown(async () => {
        await access.close()
        daikon.close()
        await database.drop()
      })
      await pool.query('create table pages (id text primary key)')
      const failures: Error[] = []
      void access.follow({ onDisconnect: (error) => failures.push(error) })

      const folder = { type: 'binder', id: `binder-${name}` }
      const pages = [1, 2, 3].map((number) => ({ type: 'page', id: `${name}-${number}` }))
      await daikon.register({ ...folder, workspaceId, ownerId: alice })
      await daikon.registerMany(
        pages.map((page, index) => ({
          ...page,
          workspaceId,
          ownerId: alice,
          ...(index === 2 && { parent: folder }),
        })),
      )
      await pool.query('insert into pages select unnest($1::text[])', [pages.map(({ id }) => id)])
      const [first, second, inFolder] = pages as [
        (typeof pages)[0],
        (typeof pages)[0],
        (typeof pages)[0],
      ]

      /** Lists what bob may view, and requires that it is what daikon answers. */
      async function list(): Promise<string[]> {
        await access.waitFor(daikon.lastPosition() ?? '', { timeoutMs: 120_000 })
        const visible = await access.visible(bob, 'view', 'page', { workspaceId })
        const { rows } = await pool.query(
          `select id from pages p where ${visible.sql('p.id', '$1')} order by id`,
          [visible.keys],
        )
        const ids = rows.map(({ id }) => id)
        const accessible: string[] = []
        for await (const id of daikon.accessible(bob, 'view', 'page', { workspaceId }))
          accessible.push(id)
        const own = accessible.filter((id) => pages.some((page) => page.id === id))
        t.deepEqual(ids.toSorted(), own.toSorted())
        return ids
      }

      t.deepEqual(await list(), [])
      await daikon.shareMany([{ resource: first, grantee: bob, grant: 'view' }])
      t.deepEqual(await list(), [first.id])
      await daikon.setVisibility(second, 'workspace')
      await daikon.shareMany([{ resource: folder, grantee: bob, grant: 'view' }])
      t.deepEqual(await list(), [first.id, second.id, inFolder.id])
      await daikon.revoke(first, bob)
      await daikon.setParent(inFolder, null)
      t.deepEqual(await list(), [second.id])
      await daikon.setParent(inFolder, folder)
      await daikon.unregister(second)
      t.deepEqual(await list(), [inFolder.id])
      const resources = await pool.query('select from daikon_access.resources_page')
      t.true((resources.rowCount ?? 0) >= 2)
      t.deepEqual(failures, [])
    },
  )
