import { randomUUID } from 'node:crypto'
import test from 'ava'
import { demo, seedDemoData } from '../../src/dev/demo-data.ts'
import { createDemoStores } from '../../src/dev/store/demo-store.ts'
import { createServiceKey } from '../../src/identity/service-keys.ts'
import { toResourceId } from '../../src/permissions/resource-id.ts'
import { expectOk } from '../support/outcome.ts'
import { startTestEnvironment } from '../support/test-environment.ts'
import type { Transport } from '../support/transports.ts'

const environment = await startTestEnvironment()
const { pool } = environment
const [transport] = environment.transports as [Transport]
const otherWorkspace = await environment.seed.workspace()
const { database } = environment
const key = createServiceKey()
const { workspace, group, service_name, resource_type } = demo
const idOf = (document: keyof typeof demo.documents) =>
  toResourceId(service_name, resource_type, document)
const { alice, bob, carol } = demo.people
test.after.always(() => environment.stop())

async function seedAgain(): Promise<void> {
  return seedDemoData(createDemoStores(database.fork()), key, 'http://localhost:9101/callback')
}

/** Whether Bob has the permissions that `npm run dev` prints. */
async function hasExpectedPermissions(): Promise<boolean> {
  const token = await environment.token(bob.id, workspace)
  const checks = [
    { service_name, resource_type, resource_id: idOf('roadmap'), action: 'edit' },
    { service_name, resource_type, resource_id: idOf('handbook'), action: 'view' },
    { service_name, resource_type, resource_id: idOf('salaries'), action: 'view' },
  ]
  const outcome = await transport.call('Check', { checks }, { token, key })
  if (!outcome.ok) return false
  const results = outcome.message.results as { allowed: boolean }[]
  const areExpected = results.map(({ allowed }) => allowed).join() === 'true,true,false'
  return areExpected && (await isRoadmapSharedWithBobsGroup()) && (await isRoadmapNamed())
}

async function isRoadmapNamed(): Promise<boolean> {
  const text = "select from resources where external_id = 'roadmap' and display_name = 'Roadmap'"
  return (await pool.query(text)).rowCount === 1
}

/** Reads the share itself: Bob may also own the roadmap, so his permissions do not prove it. */
async function isRoadmapSharedWithBobsGroup(): Promise<boolean> {
  const { rowCount } = await pool.query(
    `select from shares s join resources r on r.kind_id = s.kind_id and r.resource_id = s.resource_id
       join group_members g on g.group_id = s.group_id
     where r.resource_id = $1 and g.user_id = $2 and s.permission = 'edit'`,
    [idOf('roadmap'), bob.id],
  )
  return rowCount === 1
}

async function callAsAlice(method: string, message: object) {
  const token = await environment.token(alice.id, workspace)
  expectOk(await transport.call(method, { workspace_id: workspace, ...message }, { token, key }))
}

const runSql = (text: string) => () => pool.query(text)

const changes: Record<string, () => Promise<unknown>> = {
  'the documents lost their names': runSql('update resources set display_name = null'),
  'the group was deleted': () => callAsAlice('DeleteGroup', { group_id: group }),
  'another group took its name': async () => {
    await callAsAlice('DeleteGroup', { group_id: group })
    await callAsAlice('CreateGroup', { name: 'Writers' })
  },
  'Bob was removed': () => callAsAlice('RemoveMember', { user_id: bob.id }),
  'Bob was deactivated': runSql(`update users set is_active = false where id = '${bob.id}'`),
  'Alice was removed together with her documents': runSql(`
    delete from members where user_id = '${alice.id}';
    delete from resources`),
  'the share was revoked': runSql('delete from shares'),
  'the service app was deactivated': async () => {
    await pool.query(`insert into service_apps (id, name, service_name)
      values ('${randomUUID()}', 'Another', 'another')`)
    await pool.query(`update service_apps set is_active = false where service_name = 'docs'`)
  },
  'every document was transferred to Bob': runSql(`update resources set owner_id = '${bob.id}'`),
  'the salaries became visible to the workspace': runSql(
    `update resources set visibility = 'workspace'`,
  ),
  'the workspace was deleted and another one took its slug': runSql(`
    delete from workspaces where id = '${workspace}';
    update workspaces set slug = 'demo' where id = '${otherWorkspace}'`),
}

test.before(seedAgain)

for (const [title, change] of Object.entries(changes)) {
  test.serial(`seeding restores the demo data after ${title}`, async (t) => {
    t.true(await hasExpectedPermissions())
    await change()
    t.false(await hasExpectedPermissions())
    await seedAgain()
    t.true(await hasExpectedPermissions())
    const { claims: claimsStore } = createDemoStores(database.fork())
    const claims = await claimsStore.findAccessClaims({ email: bob.email, slug: demo.slug })
    t.is(claims?.sub, bob.id)
  })
}

test.serial('seeding preserves additions to the demo data', async (t) => {
  const { rows } = await pool.query('select id from resources where resource_id = $1', [
    idOf('salaries'),
  ])
  await callAsAlice('CreateGroup', { name: 'Readers' })
  await callAsAlice('Share', {
    permission_id: rows[0].id,
    grantee_type: 'user',
    grantee_id: carol.id,
    permission: 'view',
  })
  await seedAgain()
  const count = async (text: string) => (await pool.query(text)).rowCount
  t.is(await count(`select from groups where name = 'Readers'`), 1)
  t.is(await count(`select from shares where user_id = '${carol.id}'`), 1)
})
