import { randomUUID } from 'node:crypto'
import test from 'ava'
import { createAdmin } from '../support/admin.ts'
import { expectError, expectOk } from '../support/outcome.ts'
import { startTestEnvironment } from '../support/test-environment.ts'
import type { Transport } from '../support/transports.ts'
import { createWorkspaceFixture } from '../support/workspace-fixture.ts'

const environment = await startTestEnvironment()
const { seed, pool } = environment
const admin = await createAdmin(environment)
test.after.always(() => environment.stop())

const expires_at = new Date(Date.now() + 86_400_000).toISOString()

type Scene = Awaited<ReturnType<typeof createScene>>

/** Creates a document in a folder. The editor is in `child`, which is a child of `group`. */
async function createScene(transport: Transport) {
  const fixture = await createWorkspaceFixture(environment, transport)
  const { workspace, people, kind, key, as } = fixture
  const owner = await fixture.addMember('viewer')
  const folder = await fixture.register(owner, {
    resource_type: 'folder',
    external_id: 'plans',
    display_name: 'Plans',
    resource_id: undefined,
  })
  const { resource_type, resource_id } = folder
  const parent = { resource_type, resource_id }
  const document = await fixture.register(people.viewer, { parent })
  const open = await fixture.register(owner, { visibility: 'workspace' })
  const group = await seed.group(workspace)
  const child = await seed.group(workspace, [people.editor.id])
  const addChild = { workspace_id: workspace, group_id: group, child_id: child }
  expectOk(await transport.call('AddChildGroup', addChild, { token: people.admin.token }))
  const share = async (record: { id: string }, message: object) =>
    expectOk(
      await transport.call('Share', { permission_id: record.id, ...message }, as(people.owner)),
    )
  const guest = await fixture.addMember('viewer')
  const guestShare = await share(document, {
    grantee_type: 'user',
    grantee_id: guest.id,
    permission: 'view',
    expires_at,
  })
  const groupShare = await share(folder, {
    grantee_type: 'group',
    grantee_id: group,
    permission: 'edit',
  })
  const publish = await seed.serviceAction(kind.service_name, 'publish')
  const publishers = [guest.id, people.viewer.id, people.admin.id]
  const role = await seed.customRole(workspace, [publish], publishers)
  const roleName = (await pool.query('select name from custom_roles where id = $1', [role])).rows[0]
    .name
  const inactive = await fixture.addMember('admin')
  await pool.query('update users set is_active = false where id = $1', [inactive.id])
  const nonMember = await seed.user()
  return {
    ...fixture,
    owner,
    folder,
    document,
    open,
    group,
    child,
    guest,
    guestShare,
    groupShare,
    roleName,
    inactive,
    nonMember,
    key,
  }
}

/**
 * Returns the reasons of an evaluation, and its sentence without what the request itself names.
 */
function withoutNames({ context }: Record<string, any>, names: string[]): object[] {
  const sentence = names.reduce(
    (text, name) => text.replaceAll(name, ''),
    context.reason_admin.en as string,
  )
  return [context.reasons, { sentence }]
}

/** Removes null fields and empty lists, which REST returns for absent fields. */
function present(reasons: Record<string, unknown>[]): object[] {
  return reasons.map((reason) =>
    Object.fromEntries(
      Object.entries(reason).flatMap(([name, value]) => {
        if (value === null || value === undefined) return []
        if (Array.isArray(value) && value.length === 0) return []
        const isPlainObject = typeof value === 'object' && !Array.isArray(value)
        return [[name, isPlainObject ? present([value as Record<string, unknown>])[0] : value]]
      }),
    ),
  )
}

for (const transport of environment.transports) {
  const over = `over ${transport.label}`
  const call = async (method: string, message: object, credentials: object) =>
    expectOk(await transport.call(method, message, credentials))
  const byAdmin = async (method: string, message: object) =>
    expectOk(await admin.call(transport, method, message))

  /** Explains with the Access API and with the admin route. Fails if the results differ. */
  async function explain(
    scene: Scene,
    user: string,
    action: string,
    record: Record<string, any>,
  ): Promise<{ decision: boolean; reasons: object[] }> {
    const evaluation = {
      subject: { type: 'user', id: user },
      action: { name: action },
      resource: { type: record.resource_type, id: record.resource_id },
    }
    const message = { ...evaluation, context: { explain: true } }
    const { decision, context } = await call('Evaluate', message, { key: scene.key })
    const evaluated = { decision, reasons: context.reasons }
    const byRoute = await byAdmin('ExplainPermission', {
      permission_id: record.id,
      user_id: user,
      action,
    })
    const explained = { decision: byRoute.decision, reasons: present(byRoute.reasons) }
    if (JSON.stringify(sorted(explained)) !== JSON.stringify(sorted(evaluated)))
      throw new Error(`${JSON.stringify(explained)} differs from ${JSON.stringify(evaluated)}`)
    const unexplained = await call('Evaluate', evaluation, { key: scene.key })
    if (unexplained.decision !== decision) throw new Error('The explained decision differs')
    return evaluated
  }

  test.serial(
    `services and administrators see the explanation of every rule ${over}`,
    async (t) => {
      const scene = await createScene(transport)
      const { people, owner, folder, document, open, group, child, guest, guestShare } = scene
      const ancestor = {
        permission_id: folder.id,
        resource_type: 'folder',
        resource_id: folder.resource_id,
        external_id: 'plans',
        display_name: 'Plans',
      }
      const share = { rule: 'share', permission: 'view', share_id: guestShare.id, expires_at }
      const groupShare = {
        rule: 'group_share',
        permission: 'edit',
        group_id: group,
        via: [child],
        share_id: scene.groupShare.id,
      }
      const customRole = { rule: 'custom_role', role: scene.roleName }
      const cases: [user: string, action: string, record: typeof document, reasons: object[]][] = [
        [people.viewer.id, 'manage', document, [{ rule: 'owner' }]],
        [owner.id, 'edit', document, [{ rule: 'owner', inherited_from: ancestor }]],
        [people.admin.id, 'edit', document, [{ rule: 'workspace_role', role: 'admin' }]],
        [people.viewer.id, 'view', open, [{ rule: 'workspace_visibility' }]],
        [people.editor.id, 'edit', open, [{ rule: 'workspace_visibility' }]],
        [guest.id, 'view', document, [share]],
        [people.editor.id, 'edit', folder, [groupShare]],
        [people.editor.id, 'view', document, [{ ...groupShare, inherited_from: ancestor }]],
        [guest.id, 'publish', document, [share, customRole]],
        // The custom role of a user who may also view as owner or by role.
        [people.viewer.id, 'publish', document, [{ rule: 'owner' }, customRole]],
        [
          people.admin.id,
          'publish',
          document,
          [{ rule: 'workspace_role', role: 'admin' }, customRole],
        ],
        [
          people.admin.id,
          'publish',
          open,
          [{ rule: 'workspace_role', role: 'admin' }, { rule: 'workspace_visibility' }, customRole],
        ],
        [people.viewer.id, 'view', document, [{ rule: 'owner' }]],
        [people.owner.id, 'publish', document, [{ rule: 'workspace_role', role: 'owner' }]],
        [
          people.owner.id,
          'view',
          open,
          [{ rule: 'workspace_role', role: 'owner' }, { rule: 'workspace_visibility' }],
        ],
      ]
      for (const [user, action, record, reasons] of cases)
        t.deepEqual(await explain(scene, user, action, record), { decision: true, reasons })
    },
  )

  test.serial(
    `services and administrators see the explanation of every denial ${over}`,
    async (t) => {
      const scene = await createScene(transport)
      const { people, document, open, guest, inactive, nonMember, kind, key } = scene
      const cases: [user: string, action: string, record: typeof document, rule: string][] = [
        [randomUUID(), 'view', document, 'user_unknown'],
        [inactive.id, 'view', document, 'user_inactive'],
        [nonMember, 'view', open, 'not_a_member'],
        [people.owner.id, 'fly', document, 'action_unknown'],
        [guest.id, 'edit', document, 'no_grant'],
        [people.editor.id, 'publish', open, 'no_grant'],
      ]
      for (const [user, action, record, rule] of cases)
        t.deepEqual(await explain(scene, user, action, record), {
          decision: false,
          reasons: [{ rule }],
        })

      const evaluate = async (subject: object, id: string) => {
        const resource = { type: kind.resource_type, id }
        const context = { explain: true }
        const message = { subject, action: { name: 'view' }, resource, context }
        return call('Evaluate', message, { key })
      }
      const unknown = { type: 'user', id: people.owner.id }
      const { decision, context } = await evaluate(unknown, 'nothing')
      t.false(decision)
      t.deepEqual(context.reasons, [{ rule: 'resource_unknown' }])
      for (const subject of [
        { type: 'access_token', id: 'no-token' },
        { type: 'robot', id: people.owner.id },
      ]) {
        const { context } = await evaluate(subject, document.resource_id)
        t.deepEqual(context.reasons, [{ rule: 'user_unknown' }])
      }
      const outcome = await admin.call(transport, 'ExplainPermission', {
        permission_id: randomUUID(),
        user_id: people.owner.id,
        action: 'view',
      })
      t.like(expectError(outcome), { code: 'not_found', reason: 'RESOURCE_NOT_FOUND' })
    },
  )

  test.serial(`a batch explains only the items that request it ${over}`, async (t) => {
    const { people, document, guest, kind, key } = await createScene(transport)
    const resource = { type: kind.resource_type, id: document.resource_id }
    const item = (id: string, context?: object) => ({ subject: { type: 'user', id }, context })
    const message = {
      action: { name: 'edit' },
      resource,
      evaluations: [
        item(people.viewer.id),
        item(guest.id, { explain: true }),
        item(people.viewer.id, { explain: true }),
        item(guest.id, { explain: false }),
      ],
    }
    const { evaluations } = await call('EvaluateBatch', message, { key })
    const reason_admin = { en: '' }
    for (const { context } of evaluations)
      if (context?.reason_admin) context.reason_admin = reason_admin
    // Removes the fields that gRPC returns as undefined.
    t.deepEqual(JSON.parse(JSON.stringify(evaluations)), [
      { decision: true },
      { decision: false, context: { reasons: [{ rule: 'no_grant' }], reason_admin } },
      { decision: true, context: { reasons: [{ rule: 'owner' }], reason_admin } },
      { decision: false },
    ])
  })

  test.serial(
    `administrators list everyone with access page by page, including invited members ${over}`,
    async (t) => {
      const scene = await createScene(transport)
      const { workspace, people, owner, document, open, guest, guestShare, inactive } = scene
      const invitation = {
        workspace_id: workspace,
        email: `${randomUUID()}@example.com`,
        role: 'viewer',
      }
      const invited = await call('InviteMember', invitation, { token: people.owner.token })

      const list = async (message: object) => {
        const items: Record<string, any>[] = []
        let page_token: string | undefined
        do {
          const page = await byAdmin('ListPermissionSubjects', {
            ...message,
            page_size: 2,
            ...(page_token && { page_token }),
          })
          t.true(page.items.length <= 2)
          items.push(...page.items)
          page_token = page.next_page_token ?? undefined
        } while (page_token)
        return items
      }
      const viewers = await list({ permission_id: open.id })
      const members = [...Object.values(people), owner, guest].map(({ id }) => id)
      t.deepEqual(
        viewers.map(({ user_id }) => user_id),
        [...members, invited.user_id].toSorted(),
      )
      t.false(viewers.some(({ user_id }) => user_id === inactive.id))
      const found = viewers.find(({ user_id }) => user_id === invited.user_id)
      t.is(found?.email, invitation.email)
      t.deepEqual(present(found?.reasons), [{ rule: 'workspace_visibility' }])

      const readers = await list({ permission_id: document.id, action: 'view' })
      const guestReasons = readers.find(({ user_id }) => user_id === guest.id)?.reasons
      t.deepEqual(present(guestReasons), [
        { rule: 'share', permission: 'view', share_id: guestShare.id, expires_at },
      ])
      const editors = await list({ permission_id: document.id, action: 'edit' })
      t.false(editors.some(({ user_id }) => user_id === guest.id))
      t.deepEqual(await list({ permission_id: document.id, action: 'fly' }), [])
      const outcome = await admin.call(transport, 'ListPermissionSubjects', {
        permission_id: randomUUID(),
      })
      t.like(expectError(outcome), { code: 'not_found' })
    },
  )

  test.serial(
    `searches and explanations reveal nothing about other services and workspaces ${over}`,
    async (t) => {
      const own = await createScene(transport)
      const foreign = await createScene(transport)
      const foreignIds = [
        foreign.workspace,
        foreign.service,
        foreign.group,
        foreign.child,
        foreign.roleName,
        foreign.guestShare.id,
        foreign.groupShare.id,
        foreign.nonMember,
        ...[foreign.folder, foreign.document, foreign.open].flatMap(({ id, resource_id }) => [
          id,
          resource_id,
        ]),
        ...[...Object.values(foreign.people), foreign.owner, foreign.guest, foreign.inactive].map(
          ({ id }) => id,
        ),
      ]
      const { key, kind } = own
      const action = { name: 'view' }
      const context = { explain: true }
      const subjects = [foreign.people.owner, foreign.people.editor, foreign.guest].flatMap(
        ({ id, token }) => [
          { type: 'user', id },
          { type: 'access_token', id: token },
        ],
      )
      const types = [kind.resource_type, 'folder', foreign.service]
      const ids = [
        foreign.document.resource_id,
        foreign.folder.resource_id,
        foreign.document.id,
        'plans',
      ]
      const responses: object[] = []
      for (const type of types) {
        for (const id of ids) {
          const resource = { type, id }
          const isMine = type === 'folder' && id === 'plans'
          const found = await call(
            'SearchSubjects',
            { subject: { type: 'user' }, action, resource },
            { key },
          )
          if (!isMine) t.deepEqual(found.results, [])
          responses.push(found)
          for (const subject of subjects) {
            const evaluation = await call(
              'Evaluate',
              { subject, action, resource, context },
              { key },
            )
            t.false(evaluation.decision)
            const actions = await call('SearchActions', { subject, resource }, { key })
            t.deepEqual(actions.results, [])
            responses.push(actions, ...withoutNames(evaluation, [type, id, subject.id]))
            // A resource of another service has the same reason as one that does not exist.
            const expected = isMine ? 'not_a_member' : 'resource_unknown'
            if (subject.type === 'user') t.is(evaluation.context.reasons[0].rule, expected)
          }
        }
        for (const subject of subjects) {
          const search = { subject, action, resource: { type } }
          const inWorkspace = { ...search, context: { workspace_id: foreign.workspace } }
          for (const message of [search, inWorkspace]) {
            const found = await call('SearchResources', message, { key })
            t.deepEqual(found.results, [])
            responses.push(found)
          }
        }
      }
      // A type of another service is refused, whether or not its resource exists.
      for (const id of ids) {
        const resource = { type: `${foreign.service}:document`, id }
        for (const subject of subjects) {
          const messages = {
            Evaluate: { subject, action, resource, context },
            SearchActions: { subject, resource },
            SearchResources: { subject, action, resource: { type: resource.type } },
            SearchSubjects: { subject: { type: 'user' }, action, resource },
          }
          for (const [method, message] of Object.entries(messages)) {
            const refused = expectError(await transport.call(method, message, { key }))
            t.is(refused.reason, 'OTHER_SERVICE')
            responses.push(refused)
          }
        }
      }
      const text = JSON.stringify(responses)
      for (const id of foreignIds) t.false(text.includes(id), id)

      // An administrator can see every workspace, but the responses concern only the resource.
      const { open, document } = own
      const byRoute: object[] = []
      for (const { id: permission_id } of [open, document]) {
        for (const name of ['view', 'edit', 'manage', 'publish'])
          byRoute.push(
            await byAdmin('ListPermissionSubjects', {
              permission_id,
              action: name,
              page_size: 100,
            }),
          )
        for (const { id: user_id } of [foreign.people.owner, foreign.guest]) {
          const explained = await byAdmin('ExplainPermission', {
            permission_id,
            user_id,
            action: 'view',
          })
          t.deepEqual(present(explained.reasons), [{ rule: 'not_a_member' }])
          byRoute.push(explained)
        }
      }
      for (const id of foreignIds) t.false(JSON.stringify(byRoute).includes(id), id)

      for (const method of ['ExplainPermission', 'ListPermissionSubjects']) {
        const message = { permission_id: open.id, user_id: own.guest.id, action: 'view' }
        for (const credentials of [{ key }, { token: own.people.owner.token }, {}]) {
          const outcome = await transport.call(method, message, credentials)
          t.is(expectError(outcome).code, 'unauthenticated')
        }
      }
    },
  )
}

/** Sorts the keys of objects, so that their JSON can be compared. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(entries.map(([name, inner]) => [name, sorted(inner)]))
}
