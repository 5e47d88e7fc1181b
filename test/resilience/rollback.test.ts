import { randomUUID } from 'node:crypto'
import test from 'ava'
import { readNewerFacts, requireKnownFacts } from '../../src/database/newer-facts.ts'
import { schemaVersion } from '../../src/database/schema-version.ts'
import { createAdmin } from '../support/admin.ts'
import { runCli } from '../support/cli.ts'
import { cloneDatabase } from '../support/database.ts'
import { expectOk } from '../support/outcome.ts'
import { createKeyFolder, launchServer, startServer } from '../support/server-process.ts'
import { startTestEnvironment } from '../support/test-environment.ts'
import type { Transport } from '../support/transports.ts'
import { createWorkspaceFixture } from '../support/workspace-fixture.ts'

const environment = await startTestEnvironment()
const { pool } = environment
const admin = await createAdmin(environment)
test.after.always(() => environment.stop())
const execute = (sql: string) => pool.query(sql)

test.serial(
  'facts that older versions would decide wrongly exclude them while they exist',
  async (t) => {
    const [transport] = environment.transports as [Transport]
    const fixture = await createWorkspaceFixture(environment, transport)
    const { kind, key, people, workspace } = fixture
    const record = await fixture.register(people.owner)
    const byOwner = async (method: string, message: object) =>
      expectOk(await transport.call(method, message, fixture.as(people.owner)))
    const conditions = [{ name: 'office', description: '', expression: 'true', parameters: {} }]
    const roles = [{ name: 'editor', actions: ['edit'] }]
    const declare = async (more: object = {}) => {
      const declaration = { ...kind, conditions, roles, allow_public: true, ...more }
      expectOk(await transport.call('PutResourceType', declaration, { key }))
    }
    const condition = { name: 'office' }
    const reference = { permission_id: record.id }
    const grantee = { grantee_type: 'user', grantee_id: people.viewer.id }
    const show = async (visibility: string) =>
      byOwner('UpdateVisibility', { ...reference, visibility })
    const share = (message: object) => async () => {
      await byOwner('Share', { ...reference, ...grantee, ...message })
      return () => byOwner('RevokeShare', { ...reference, ...grantee, permission: 'view' })
    }
    const link = (message: object) => async () => {
      const { id } = await byOwner('CreateLink', { ...reference, ...message })
      return () => byOwner('DeleteLink', { ...reference, link_id: id })
    }
    const byAdmin = async (method: string, message: object) =>
      expectOk(await admin.call(transport, method, message))
    /** Writes facts of each kind and returns a function that removes them. */
    const kinds: [migration: number, fact: string, () => Promise<() => Promise<unknown>>][] = [
      [31, 'shares with a role', share({ role: 'editor' })],
      [31, 'links with a role', link({ role: 'editor' })],
      [
        32,
        'memberships that end',
        async () => {
          const member = { workspace_id: workspace, user_id: people.viewer.id, role: 'viewer' }
          const expires_at = new Date(Date.now() + 3_600_000).toISOString()
          await byOwner('UpdateMember', { ...member, expires_at })
          return () => byOwner('UpdateMember', { ...member, never_expires: true })
        },
      ],
      [
        34,
        'public resources',
        async () => {
          await show('public')
          return () => show('private')
        },
      ],
      [
        36,
        'requirements of actions',
        async () => {
          await declare({ requirements: [{ action: 'edit', condition: 'office' }] })
          return declare
        },
      ],
      [37, 'shares with a condition', share({ permission: 'view', condition })],
      [37, 'shares with a condition', share({ role: 'editor', condition })],
      [
        40,
        'service accounts',
        async () => {
          const account = { workspace_id: workspace, name: 'robot', role: 'viewer' }
          const { id } = await byAdmin('CreateServiceAccount', account)
          return () =>
            byAdmin('DeleteServiceAccount', { workspace_id: workspace, service_account_id: id })
        },
      ],
      [55, 'links with a condition', link({ permission: 'view', condition })],
    ]
    await declare()
    const inherited = { action: 'edit', condition: 'office', inherited: true }
    await declare({ requirements: [inherited] })
    t.deepEqual(await readNewerFacts(execute), [
      { migration: 85, fact: 'requirements that resources below inherit' },
      { migration: 36, fact: 'requirements of actions' },
    ])
    await declare()
    for (const [migration, fact, write] of kinds) {
      t.deepEqual(await readNewerFacts(execute), [], `before ${fact}`)
      await requireKnownFacts(execute, migration - 1)
      const remove = await write()
      t.deepEqual(await readNewerFacts(execute), [{ migration, fact }])
      await requireKnownFacts(execute, migration)
      await t.throwsAsync(requireKnownFacts(execute, migration - 1), {
        code: 'NEWER_FACTS',
        message: new RegExp(`whose last migration is ${migration - 1}, .* ${fact} .*${migration}`),
      })
      await remove()
    }
  },
)

test.serial(
  'a node, a command and doctor refuse a database with facts of a newer version',
  async (t) => {
    const database = await cloneDatabase()
    t.teardown(() => database.drop())
    const folder = createKeyFolder(t)
    const settings = { DATABASE_URL: database.url }
    const start = async () => startServer(t, folder, settings)
    const running = await start()

    // As the next version would: its migration lists what this version does not know.
    const next = schemaVersion + 1
    await database.pool.query(`create or replace view newer_facts as
    select ${next} as migration, 'shares of the moon' as fact from workspaces limit 1`)
    await database.pool.query("insert into migrations (name) values ('999-moon')")
    running.child.kill('SIGTERM')
    await running.exited
    const unaffected = await start()
    unaffected.child.kill('SIGTERM')
    await unaffected.exited

    const workspace = randomUUID()
    await database.pool.query("insert into workspaces (id, name, slug) values ($1, 'w', 'moon')", [
      workspace,
    ])
    const message = `would decide wrongly about shares of the moon in the database. Start a version that has migration ${next}`
    const refused = launchServer(t, folder, settings)
    t.deepEqual(await refused.exited, { code: 2, signal: null })
    t.true(refused.output().includes(message), refused.output())
    for (const command of [['migrate'], ['workspace', 'list']]) {
      const { err, status } = await runCli(database.url, ...command)
      t.is(status, 2)
      t.true(err.includes(message), err)
    }
    const { out } = await runCli(database.url, '--json', 'doctor')
    const findings: { check: string; ok: boolean; detail: string }[] = JSON.parse(out).findings
    t.like(
      findings.find(({ check }) => check === 'rollback'),
      {
        ok: false,
        detail: `this version lacks migration ${next}, because of: shares of the moon (${next})`,
      },
    )

    await database.pool.query('delete from workspaces where id = $1', [workspace])
    const started = await start()
    started.child.kill('SIGTERM')
    t.deepEqual(await started.exited, { code: 0, signal: null })
  },
)
