import { randomUUID } from 'node:crypto'
import test from 'ava'
import { openDatabase } from '../../src/database/database.ts'
import { demo, seedDemo } from '../../src/dev/demo-data.ts'
import { loadAccessClaims } from '../../src/identity/access-claims.ts'
import { createServiceKey } from '../../src/identity/service-keys.ts'
import { expectOk } from '../support/outcome.ts'
import { startTestEnvironment } from '../support/test-environment.ts'
import type { Transport } from '../support/transports.ts'

const environment = await startTestEnvironment()
const { pool } = environment
const [transport] = environment.transports as [Transport]
const elsewhere = await environment.seed.workspace()
const database = await openDatabase(environment.databaseUrl, () => {})
const key = createServiceKey()
const { workspace, people, group, documents, service_name, resource_type } = demo
test.after.always(async () => {
  await database.close()
  await environment.stop()
})

async function start(): Promise<void> {
  const context = { principal: {}, em: database.fork() }
  return seedDemo(context, key, 'http://localhost:9101/callback')
}

/** What the welcome promises of Bob, as the check answers it; true when it holds. */
async function welcomeHolds(): Promise<boolean> {
  const token = await environment.token(people.bob, workspace)
  const kind = { service_name, resource_type }
  const checks = [
    { ...kind, resource_id: documents.roadmap, action: 'edit' },
    { ...kind, resource_id: documents.handbook, action: 'view' },
    { ...kind, resource_id: documents.salaries, action: 'view' },
  ]
  const ending = await transport.call('Check', { checks }, { token, key })
  if (!ending.ok) return false
  const results = ending.message.results as { allowed: boolean }[]
  return results.map(({ allowed }) => allowed).join() === 'true,true,false'
}

/** Done by Alice through a transport. */
async function byAlice(method: string, message: object) {
  const token = await environment.token(people.alice, workspace)
  expectOk(await transport.call(method, { workspace_id: workspace, ...message }, { token, key }))
}

const sql = (text: string) => () => pool.query(text)

const happenings: Record<string, () => Promise<unknown>> = {
  'its group was deleted': () => byAlice('DeleteGroup', { group_id: group }),
  'another group has the name of its own': async () => {
    await byAlice('DeleteGroup', { group_id: group })
    await byAlice('CreateGroup', { name: 'Writers' })
  },
  'Bob was removed': () => byAlice('RemoveMember', { user_id: people.bob }),
  'Bob was deactivated': sql(`update users set is_active = false where id = '${people.bob}'`),
  'Alice was removed, and her documents with her': sql(`
    delete from members where user_id = '${people.alice}';
    delete from resources`),
  'the share was taken back': sql('delete from shares'),
  'its service app was deactivated': async () => {
    await pool.query(`insert into service_apps (id, name, service_name)
      values ('${randomUUID()}', 'Another', 'another')`)
    await pool.query(`update service_apps set is_active = false where service_name = 'docs'`)
  },
  'a document belongs to Bob': sql(`update resources set owner_id = '${people.bob}'`),
  'the salaries were opened': sql(`update resources set visibility = 'workspace'`),
  'its workspace was deleted, and another one has its name': sql(`
    delete from workspaces where id = '${workspace}';
    update workspaces set slug = 'demo' where id = '${elsewhere}'`),
}

test.before(start)

for (const [title, happen] of Object.entries(happenings)) {
  test.serial(`npm run dev starts again when ${title}`, async (t) => {
    t.true(await welcomeHolds())
    await happen()
    t.false(await welcomeHolds())
    await start()
    t.true(await welcomeHolds())
    const bob = { email: 'bob@example.com', slug: 'demo' }
    t.is((await loadAccessClaims(database.fork(), bob))?.sub, people.bob)
  })
}

test.serial('what was added to the demo stays', async (t) => {
  const added = { grantee_type: 'user', grantee_id: people.carol, permission: 'view' }
  const { rows } = await pool.query('select id from resources where resource_id = $1', [
    documents.salaries,
  ])
  await byAlice('CreateGroup', { name: 'Readers' })
  await byAlice('Share', { permission_id: rows[0].id, ...added })
  await start()
  const count = async (text: string) => (await pool.query(text)).rowCount
  t.is(await count(`select from groups where name = 'Readers'`), 1)
  t.is(await count(`select from shares where user_id = '${people.carol}'`), 1)
})
