import { randomUUID } from 'node:crypto'
import test from 'ava'
import { expectOk } from '../support/outcome.ts'
import { startTestEnvironment } from '../support/test-environment.ts'
import type { Transport } from '../support/transports.ts'
import { createWorkspaceFixture } from '../support/workspace-fixture.ts'

const environment = await startTestEnvironment({ MAX_FACTS_CACHE_BYTES: 10_000_000 })
const { pool, seed } = environment
test.after.always(() => environment.stop())

const actions = ['view', 'edit', 'manage', 'publish', 'unheard-of']

/** A workspace with the group `outer`, which contains `inner`, and the group `lone`. */
async function createFixture(transport: Transport) {
  const fixture = await createWorkspaceFixture(environment, transport)
  const { workspace, people, kind, key, service } = fixture
  const outer = await seed.group(workspace, [people.viewer.id])
  const inner = await seed.group(workspace, [people.editor.id])
  const lone = await seed.group(workspace, [people.owner.id])
  await seed.childGroup(workspace, outer, inner)
  const publish = await seed.serviceAction(service, 'publish')
  const call = async (method: string, message: object) =>
    expectOk(await transport.call(method, message, { key }))
  return {
    ...fixture,
    groups: { outer, inner, lone },
    publish,
    call,
    /** Gives a custom role with `publish` to a group. */
    async grantRole(group: string) {
      const role = await seed.customRole(workspace, [publish], [])
      await pool.query(
        'insert into custom_role_groups (role_id, group_id, workspace_id) values ($1, $2, $3)',
        [role, group, workspace],
      )
    },
    /** Returns the actions that a group may perform, by decisions in one batch. */
    async decide(id: string, resource: { resource_id: string }): Promise<string[]> {
      const evaluations = actions.map((name) => ({
        subject: { type: 'group', id },
        action: { name },
        resource: { type: kind.resource_type, id: resource.resource_id },
      }))
      const batch = await call('EvaluateBatch', { evaluations })
      return actions.filter((_, index) => batch.evaluations[index].decision)
    },
    async explain(id: string, name: string, { resource_id }: { resource_id: string }) {
      const evaluation = {
        subject: { type: 'group', id },
        action: { name },
        resource: { type: kind.resource_type, id: resource_id },
        context: { explain: true },
      }
      const { decision, context } = await call('Evaluate', evaluation)
      return { decision, reasons: context.reasons, sentence: context.reason_admin.en }
    },
    /** Returns all results of a search, read in pages of one. */
    async search(method: string, message: object): Promise<string[]> {
      const results: string[] = []
      let token = ''
      do {
        const page = token ? { token } : { limit: 1 }
        const found = await call(method, { ...message, page })
        results.push(...found.results.map(({ id, name }: any) => id ?? name))
        token = found.page.next_token
      } while (token)
      return results.toSorted()
    },
  }
}

for (const transport of environment.transports) {
  const over = `over ${transport.label}`

  test(`a group may do what each of its members may do at least ${over}`, async (t) => {
    const { people, groups, kind, ...fixture } = await createFixture(transport)
    const { outer, inner, lone } = groups
    const closed = await fixture.register(people.owner)
    const open = await fixture.register(people.owner, { visibility: 'workspace' })
    const folder = await fixture.register(people.owner, { resource_type: 'folder' })
    const { resource_type, resource_id } = folder
    const inFolder = await fixture.register(people.owner, {
      parent: { resource_type, resource_id },
    })
    const elsewhere = await createWorkspaceFixture(environment, transport)
    await fixture.share(people.owner, closed, { group: outer }, 'edit')
    await fixture.share(people.owner, folder, { group: inner }, 'view')
    // Shares with members, even with all of them, are not shares with the group.
    for (const { id } of [people.viewer, people.editor])
      await fixture.share(people.owner, open, { user: id }, 'edit')
    await fixture.grantRole(outer)

    const expected = {
      [outer]: [['view', 'edit', 'publish'], ['view', 'publish'], []],
      [inner]: [
        ['view', 'edit', 'publish'],
        ['view', 'publish'],
        ['view', 'publish'],
      ],
      // The group of the workspace's owner alone is a viewer as well.
      [lone]: [[], ['view'], []],
    }
    const records = [closed, open, inFolder]
    for (const [group, lists] of Object.entries(expected)) {
      for (const [index, record] of records.entries())
        t.deepEqual(await fixture.decide(group, record), lists[index])
      for (const name of actions) {
        const ids = records
          .filter((_, index) => lists[index]?.includes(name))
          .map((record) => record.resource_id)
        const subject = { type: 'group', id: group }
        const message = { subject, action: { name }, resource: { type: kind.resource_type } }
        t.deepEqual(await fixture.search('SearchResources', message), ids.toSorted(), name)
        const workspace_id = elsewhere.workspace
        const other = { ...message, context: { workspace_id } }
        t.deepEqual(await fixture.search('SearchResources', other), [])
      }
      for (const [index, record] of records.entries()) {
        const resource = { type: kind.resource_type, id: record.resource_id }
        const subject = { type: 'group', id: group }
        t.deepEqual(
          await fixture.search('SearchActions', { subject, resource }),
          lists[index]?.toSorted(),
        )
      }
    }
    for (const [index, record] of records.entries()) {
      const resource = { type: kind.resource_type, id: record.resource_id }
      for (const name of actions) {
        const message = { subject: { type: 'group' }, action: { name }, resource }
        const allowed = Object.keys(expected).filter((id) => expected[id]?.[index]?.includes(name))
        t.deepEqual(await fixture.search('SearchSubjects', message), allowed.toSorted(), name)
      }
    }
  })

  test(`changes of groups and shares hold at once ${over}`, async (t) => {
    const { people, groups, ...fixture } = await createFixture(transport)
    const record = await fixture.register(people.owner)
    await fixture.share(people.owner, record, { group: groups.outer }, 'view')
    t.deepEqual(await fixture.decide(groups.inner, record), ['view'])
    await pool.query('delete from group_parents where parent_id = $1', [groups.outer])
    t.deepEqual(await fixture.decide(groups.inner, record), [])
    t.deepEqual(await fixture.decide(groups.outer, record), ['view'])
    await pool.query('update shares set expires_at = now() where resource_id = $1', [
      record.resource_id,
    ])
    t.deepEqual(await fixture.decide(groups.outer, record), [])
  })

  test(`reasons name the share, the role and the path to the group ${over}`, async (t) => {
    const { people, groups, ...fixture } = await createFixture(transport)
    const record = await fixture.register(people.owner)
    const { id } = await fixture.share(people.owner, record, { group: groups.outer }, 'view')
    const share = { rule: 'group_share', permission: 'view', group_id: groups.outer, share_id: id }
    const direct = await fixture.explain(groups.outer, 'view', record)
    t.true(direct.decision)
    t.deepEqual(direct.reasons, [share])
    const through = await fixture.explain(groups.inner, 'view', record)
    t.deepEqual(through.reasons, [{ ...share, via: [groups.inner] }])
    const { rows } = await pool.query('select name from groups where id = $1', [groups.inner])
    t.true(through.sentence.startsWith(`Group ${rows[0].name} may view document`))
    t.true(through.sentence.endsWith(`and Group ${rows[0].name} is in it.`))
    t.true(direct.sentence.endsWith('for viewing.'))
    t.deepEqual((await fixture.explain(groups.lone, 'view', record)).reasons, [
      { rule: 'no_grant' },
    ])
  })

  test(`unknown groups, groups of other workspaces and users are denied ${over}`, async (t) => {
    const { people, ...fixture } = await createFixture(transport)
    const open = await fixture.register(people.owner, { visibility: 'workspace' })
    const foreign = await seed.group(await seed.workspace())
    for (const [id, rule] of [
      [foreign, 'not_a_member'],
      [randomUUID(), 'user_unknown'],
      [people.owner.id, 'user_unknown'],
      ['Writers', 'user_unknown'],
    ] as const) {
      t.deepEqual(await fixture.decide(id, open), [], id)
      const { decision, reasons } = await fixture.explain(id, 'view', open)
      t.false(decision)
      t.deepEqual(reasons, [{ rule }], id)
    }
    const evaluation = {
      subject: { type: 'user', id: foreign },
      action: { name: 'view' },
      resource: { type: open.resource_type, id: open.resource_id },
    }
    t.false((await fixture.call('Evaluate', evaluation)).decision)
  })

  test(`users and groups are decided in one batch, in order ${over}`, async (t) => {
    const { people, groups, kind, ...fixture } = await createFixture(transport)
    const record = await fixture.register(people.owner)
    await fixture.share(people.owner, record, { group: groups.inner }, 'view')
    const subjects = [
      { type: 'group', id: groups.inner },
      { type: 'user', id: people.viewer.id },
      { type: 'group', id: groups.outer },
      { type: 'user', id: people.editor.id },
      { type: 'group', id: 'no UUID' },
      { type: 'user', id: people.owner.id },
    ]
    for (const context of [undefined, { explain: true }]) {
      const evaluations = subjects.map((subject) => ({
        subject,
        action: { name: 'view' },
        resource: { type: kind.resource_type, id: record.resource_id },
        ...(context && { context }),
      }))
      const batch = await fixture.call('EvaluateBatch', { evaluations })
      const decisions = batch.evaluations.map(({ decision }: any) => decision)
      t.deepEqual(decisions, [true, false, false, true, false, true])
    }
  })
}
