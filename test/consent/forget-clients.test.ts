// Threat: a consent that is being made ends with the client that a job deletes at the same time.
import { randomUUID } from 'node:crypto'
import test from 'ava'
import { forgetClients } from '../../src/consent/forget-clients.ts'
import { createStores } from '../../src/server/stores.ts'
import { startTestEnvironment } from '../support/test-environment.ts'

const environment = await startTestEnvironment()
const { pool, seed, database } = environment
test.after.always(() => environment.stop())

const forget = () => forgetClients(createStores(database.fork()))

async function addClient(url: string | null = `https://${randomUUID()}.example.com/client.json`) {
  const id = randomUUID()
  await pool.query(
    `insert into client_apps (id, name, type, metadata_uri) values ($1, 'Editor', 'public', $2)`,
    [id, url],
  )
  return id
}

async function prepareConsent(client: string): Promise<[sql: string, values: string[]]> {
  const [user, workspace] = [await seed.user('ann'), await seed.workspace('Acme')]
  await seed.member(workspace, user, 'viewer')
  const sql = `insert into consents (id, user_id, workspace_id, client_id, scopes, host,
      metadata_hash, created_at, last_used_at)
    values (gen_random_uuid(), $1, $2, $3, '{read}', 'editor.example.com', '', now(), now())`
  return [sql, [user, workspace, client]]
}

const exists = async (client: string) =>
  (await pool.query('select from client_apps where id = $1', [client])).rowCount === 1

test.serial('clients that nobody registered are deleted after their last consent', async (t) => {
  const [unused, registered, used] = [await addClient(), await addClient(null), await addClient()]
  await pool.query(...(await prepareConsent(used)))
  await forget()
  t.deepEqual(
    [await exists(unused), await exists(registered), await exists(used)],
    [false, true, true],
  )
  await pool.query('delete from consents where client_id = $1', [used])
  await forget()
  t.false(await exists(used))
})

test.serial('a consent that is being made keeps its client', async (t) => {
  const client = await addClient()
  const [sql, values] = await prepareConsent(client)
  const connection = await pool.connect()
  await connection.query('begin')
  // As saving a client does, although its name stays.
  await connection.query(
    `insert into client_apps (id, name, type) values ($1, 'Editor', 'public')
     on conflict (id) do update set name = excluded.name where client_apps.name <> excluded.name`,
    [client],
  )
  await forget()
  t.true(await exists(client))
  await connection.query(sql, values)
  await connection.query('commit')
  connection.release()
  await forget()
  t.true(await exists(client))
})

test.serial('a consent that was made before the client is locked keeps it', async (t) => {
  const client = await addClient()
  const [sql, values] = await prepareConsent(client)
  const stores = createStores(database.fork())
  await stores.transaction(async (tx) => {
    // The job has found the client, and locks it after the consent.
    await pool.query(sql, values)
    await tx.consents.deleteUnusedExternal([client])
  })
  t.true(await exists(client))
})
