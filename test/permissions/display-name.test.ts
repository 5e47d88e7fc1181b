import { randomUUID } from 'node:crypto'
import test from 'ava'
import { listActivity } from '../support/activity.ts'
import { createAdmin } from '../support/admin.ts'
import { runCli } from '../support/cli.ts'
import { expectError, expectOk } from '../support/outcome.ts'
import { startTestEnvironment } from '../support/test-environment.ts'
import { createWorkspaceFixture } from '../support/workspace-fixture.ts'

const environment = await startTestEnvironment()
const { pool } = environment
const admin = await createAdmin(environment)
test.after.always(() => environment.stop())

for (const transport of environment.transports) {
  const over = `over ${transport.label}`

  test(`a resource is registered with a display name, which is changed and removed ${over}`, async (t) => {
    const { people, kind, key, as, workspace, ...fixture } = await createWorkspaceFixture(
      environment,
      transport,
    )
    const record = await fixture.register(people.owner, { display_name: ' Roadmap 2026 ' })
    t.is(record.display_name, 'Roadmap 2026')
    const { id: permission_id, resource_id } = record
    // Registering again changes nothing.
    const again = { ...kind, resource_id, workspace_id: workspace, owner_id: people.owner.id }
    const registered = await transport.call(
      'Register',
      { ...again, display_name: 'Other' },
      { key },
    )
    t.is(expectOk(registered).display_name, 'Roadmap 2026')

    const update = (message: object, credentials: object = { key }) =>
      transport.call('UpdateResource', { permission_id, ...message }, credentials)
    const renamed = expectOk(await update({ display_name: 'Roadmap 2027' }, as(people.owner)))
    t.is(renamed.display_name, 'Roadmap 2027')
    t.deepEqual(await fixture.readResource(record), renamed)
    t.is(expectOk(await update({ display_name: 'Roadmap 2027' })).display_name, 'Roadmap 2027')
    t.is(expectOk(await update({})).display_name, 'Roadmap 2027')
    const byKey = { permission_id: undefined, ...kind, resource_id, remove_display_name: true }
    t.falsy(expectOk(await update(byKey)).display_name)
    t.falsy((await fixture.readResource(record)).display_name)

    const events = await listActivity(pool, permission_id)
    t.deepEqual(
      events.map(({ action, actor_id, detail }) => [action, actor_id, detail]),
      [
        ['permission.renamed', people.owner.id, { ...kind, resource_id }],
        ['permission.renamed', null, { ...kind, resource_id }],
      ],
    )
  })

  test(`renaming requires the right to manage and a valid name ${over}`, async (t) => {
    const { people, key, as, ...fixture } = await createWorkspaceFixture(environment, transport)
    const { id: permission_id } = await fixture.register(people.owner, { visibility: 'workspace' })
    const update = (message: object, credentials: object) =>
      transport.call('UpdateResource', { permission_id, ...message }, credentials)
    t.like(await update({ display_name: 'Mine' }, as(people.editor)), {
      ok: false,
      code: 'permission_denied',
      reason: 'NOT_THE_OWNER',
    })
    const unknown = { permission_id: randomUUID(), display_name: 'Mine' }
    t.is(expectError(await update(unknown, { key })).code, 'not_found')
    t.is(
      expectOk(await update({ display_name: 'é'.repeat(255) }, { key })).display_name.length,
      255,
    )
    const invalid: [message: object, field: string][] = [
      [{ display_name: 'é'.repeat(256) }, 'display_name'],
      [{ display_name: ' ' }, 'display_name'],
      [{ display_name: 'a\nb' }, 'display_name'],
      [{ display_name: 'a', remove_display_name: true }, 'remove_display_name'],
    ]
    for (const [message, field] of invalid) {
      const { code, violations } = expectError(await update(message, { key }))
      t.is(code, 'invalid_argument')
      t.deepEqual(
        violations.map((violation) => violation.field),
        [field],
      )
    }
  })

  test(`batches, searches, lists and explanations show the display name ${over}`, async (t) => {
    const { people, kind, key, workspace, service } = await createWorkspaceFixture(
      environment,
      transport,
    )
    const item = { ...kind, workspace_id: workspace, owner_id: people.editor.id }
    const resources = [
      { ...item, external_id: 'plan', display_name: 'The plan' },
      { ...item, resource_id: randomUUID() },
    ]
    const batch = expectOk(await transport.call('RegisterBatch', { resources }, { key })).resources
    t.is(batch[0].display_name, 'The plan')
    t.falsy(batch[1].display_name)

    const search = {
      subject: { type: 'user', id: people.editor.id },
      action: { name: 'view' },
      resource: { type: kind.resource_type },
    }
    const { results } = expectOk(await transport.call('SearchResources', search, { key }))
    const byId = new Map(results.map((result: any) => [result.id, result.properties]))
    t.deepEqual(byId.get('plan'), { display_name: 'The plan' })
    t.falsy(byId.get(batch[1].resource_id))

    const filter = { workspace_id: workspace }
    const { items } = expectOk(await admin.call(transport, 'ListPermissions', filter))
    const summary = items.find(({ id }: { id: string }) => id === batch[0].id)
    t.is(summary.display_name, 'The plan')

    const resource = `${service}/document/plan`
    const why = await runCli(environment.databaseUrl, 'why', people.viewer.id, 'view', resource)
    t.regex(why.out, /may not view document "The plan":/)
    const owned = await runCli(environment.databaseUrl, 'why', people.editor.id, 'view', resource)
    t.regex(owned.out, /may view document "The plan":/)
  })
}
