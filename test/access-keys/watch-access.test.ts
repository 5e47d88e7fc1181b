import { randomUUID } from 'node:crypto'
import test from 'ava'
import { createKeyNames } from '../../src/access-keys/key-names.ts'
import { createResourceChangeStore } from '../../src/access-keys/store/resource-change-store.ts'
import { sweepDeleted } from '../../src/database/sweep-deleted.ts'
import { type AccessWatchRequest, openAccessWatchOver } from '../support/access-watch.ts'
import { expectOk } from '../support/outcome.ts'
import { startTestEnvironment } from '../support/test-environment.ts'
import type { Transport } from '../support/transports.ts'
import { waitUntil } from '../support/wait-until.ts'
import { createWorkspaceFixture } from '../support/workspace-fixture.ts'

const environment = await startTestEnvironment()
const { pool, database } = environment
test.after.always(() => environment.stop())

/** Returns what turns names of holders and levels into keys, as `<level>@<holder>`. */
async function createNaming(service: string) {
  const sql = 'select secret from access_key_secrets where service_name = $1'
  const { rows } = await pool.query(sql, [service])
  const names = createKeyNames(rows[0].secret)
  return (...pairs: [level: string, holder: string][]) =>
    pairs.map(([level, holder]) => `${names.level(level)}@${names.holder(holder)}`).toSorted()
}

const keysOf = (row: { own: { holder: string; level: string }[] } | undefined) =>
  row?.own.map(({ holder, level }) => `${level}@${holder}`).toSorted()

for (const transport of environment.transports as Transport[]) {
  const title = (text: string) => `${text} over ${transport.label}`

  async function createWorld(t: { teardown(end: () => void): void }) {
    const fixture = await createWorkspaceFixture(environment, transport)
    const { service, key, people, workspace } = fixture
    const call = async (method: string, message: object, token?: string) =>
      expectOk(await transport.call(method, message, token ? { key, token } : { key }))
    return {
      ...fixture,
      call,
      open(request: Partial<AccessWatchRequest> = {}, presented = { key }) {
        const watch = openAccessWatchOver[transport.name](
          environment,
          { service_name: service, ...request },
          presented,
        )
        t.teardown(watch.stop)
        return watch
      },
      registerIn: (parent: { resource_id: string }, more: object = {}) =>
        fixture.register(people.owner, { parent: refOf(parent), ...more }),
      group: () => environment.seed.group(workspace, [people.viewer.id]),
    }
  }

  test.serial(title('a new stream sends every resource, then every change'), async (t) => {
    const world = await createWorld(t)
    const { people, workspace: w, service } = world
    const first = await world.register(people.owner, {
      resource_id: undefined,
      external_id: 'doc:1',
    })
    await world.share(people.owner, first, { user: people.viewer.id }, 'view')
    const watch = world.open()
    const bookmark = await watch.settle()
    t.regex(bookmark.position, /^[0-9a-f]{12}-\d+$/)
    t.true(bookmark.cursor.length <= 200)
    const keys = await createNaming(service)
    const admin: [string, string] = ['admin', w]
    const owner: [string, string] = ['owner', `${w}:${people.owner.id}`]
    t.deepEqual(keysOf(watch.row(first)), keys(admin, owner, ['view', `${w}:${people.viewer.id}`]))
    t.like(watch.row(first), {
      resource_type: 'document',
      external_id: 'doc:1',
      workspace_id: w,
      inherits_from: [],
      has_children: false,
    })
    t.truthy(watch.messages[0]?.begin)

    const second = await world.register(people.owner)
    const group = await world.group()
    await world.share(people.owner, second, { group }, 'edit')
    await watch.settle()
    t.deepEqual(keysOf(watch.row(second)), keys(admin, owner, ['edit', `${w}:${group}`]))
    await world.call(
      'UpdateVisibility',
      { ...idOf(second), visibility: 'workspace' },
      people.owner.token,
    )
    await watch.settle()
    t.true(keysOf(watch.row(second))?.includes(keys(['visible', w])[0] as string))
    await world.call('Unregister', idOf(first), people.owner.token)
    await watch.settle()
    t.is(watch.row(first), undefined)
    t.is(watch.messages.filter(({ begin }) => begin).length, 1)
  })

  test.serial(title('operators change resources, shares and links'), async (t) => {
    const world = await createWorld(t)
    const { people, workspace: w, service } = world
    const resource = await world.register(people.owner)
    const watch = world.open()
    await watch.settle()
    const keys = await createNaming(service)
    const has = (level: string, holder: string) =>
      keysOf(watch.row(resource))?.includes(keys([level, holder])[0] as string)
    const of = [resource.resource_id]
    const where = 'where resource_id = $1'

    await pool.query(`update resources set visibility = 'workspace' ${where}`, of)
    await watch.settle()
    t.true(has('visible', w))
    await pool.query(`update resources set owner_id = $2 ${where}`, [...of, people.editor.id])
    await watch.settle()
    t.true(has('owner', `${w}:${people.editor.id}`))
    await pool.query(
      `insert into shares (id, kind_id, resource_id, workspace_id, user_id, permission, condition, params)
       select gen_random_uuid(), kind_id, resource_id, workspace_id, $2, 'view', null, null
       from resources ${where}`,
      [...of, people.viewer.id],
    )
    await watch.settle()
    t.true(has('view', `${w}:${people.viewer.id}`))
    await pool.query(`update shares set permission = 'edit' ${where}`, of)
    await watch.settle()
    t.true(has('edit', `${w}:${people.viewer.id}`))
    const expiresAt = '2100-01-01T00:00:00.000Z'
    await pool.query(`update shares set expires_at = $2 ${where}`, [...of, expiresAt])
    await watch.settle()
    t.is(watch.row(resource)?.own.find(({ until }) => until)?.until, expiresAt)
    await pool.query(`delete from shares ${where}`, of)
    await watch.settle()
    t.false(has('edit', `${w}:${people.viewer.id}`))
    const link = randomUUID()
    await pool.query(
      `insert into resource_links (id, token_hash, kind_id, resource_id, workspace_id, permission)
       select $2::uuid, $2::uuid::text, kind_id, resource_id, workspace_id, 'view' from resources ${where}`,
      [...of, link],
    )
    await watch.settle()
    t.true(has('view', `${w}:${link}`))
    await pool.query(`delete from resource_links ${where}`, of)
    await watch.settle()
    t.false(has('view', `${w}:${link}`))
    // A change that decides nothing has no record.
    const records = 'select count(*)::int from resource_changes where resource_id = $1'
    const before = (await pool.query(records, of)).rows[0].count
    await pool.query(`update resources set display_name = 'x' ${where}`, of)
    t.is((await pool.query(records, of)).rows[0].count, before)
    await pool.query(`delete from members where user_id = $1`, [people.viewer.id])
    await pool.query(`delete from resources ${where}`, of)
    await watch.settle()
    t.is(watch.row(resource), undefined)
  })

  test.serial(
    title('trees are sent when they move, and removed when they are deleted'),
    async (t) => {
      const world = await createWorld(t)
      const { people } = world
      const [above, folder, other] = [
        await world.register(people.owner),
        await world.register(people.owner),
        await world.register(people.owner),
      ]
      const child = await world.registerIn(folder)
      const grandchild = await world.registerIn(child)
      const watch = world.open()
      await watch.settle()
      const inheritKey = (resource: { resource_id: string }) => watch.row(resource)?.inherit_key
      t.deepEqual(watch.row(grandchild)?.inherits_from, [inheritKey(child), inheritKey(folder)])
      t.true(watch.row(folder)?.has_children)
      t.false(watch.row(other)?.has_children)

      const move = (resource: object, parent: object | undefined, inherits = true) =>
        world.call('UpdateParent', { ...idOf(resource), parent, inherits }, people.owner.token)
      await move(folder, refOf(above))
      await watch.settle()
      t.deepEqual(
        watch.row(grandchild)?.inherits_from,
        [child, folder, above].map((one) => inheritKey(one)),
      )
      t.true(watch.row(above)?.has_children)
      await move(child, refOf(folder), false)
      await watch.settle()
      t.deepEqual(watch.row(grandchild)?.inherits_from, [inheritKey(child)])

      // More than a page, and several levels of parents.
      await pool.query(
        `insert into resources (id, kind_id, resource_id, workspace_id, owner_id, visibility, parent_id)
       select gen_random_uuid(), kind_id, gen_random_uuid(), workspace_id, owner_id, 'private', id
       from resources, generate_series(1, 1200) where resource_id = $1`,
        [child.resource_id],
      )
      await watch.settle()
      const inherited = () => {
        const key = inheritKey(above) as string
        return [...watch.rows().values()].filter(({ inherits_from }) => inherits_from.includes(key))
      }
      await move(child, refOf(folder), true)
      await watch.settle()
      t.is(inherited().length, 1203)
      await pool.query(
        'insert into deleted_trees (id) select id from resources where resource_id = $1',
        [folder.resource_id],
      )
      await watch.settle()
      t.is(watch.row(grandchild), undefined)
      t.is(inherited().length, 0)
      t.truthy(watch.row(above))
      while (await sweepDeleted(database));
      await watch.settle()
      t.is(watch.rows().size, 2)
    },
  )

  test.serial(title('the resources of a deleted workspace are removed'), async (t) => {
    const world = await createWorld(t)
    const { people, workspace } = world
    const resource = await world.register(people.owner)
    const watch = world.open()
    await watch.settle()
    t.truthy(watch.row(resource))
    await pool.query('delete from workspaces where id = $1', [workspace])
    await watch.settle()
    t.is(watch.row(resource), undefined)
    const late = world.open()
    await late.settle()
    t.is(late.rows().size, 0)
  })

  test.serial(title('a stream continues after a cursor, and only after its own'), async (t) => {
    const world = await createWorld(t)
    const { people, service } = world
    const first = await world.register(people.owner)
    const watch = world.open()
    const { cursor } = await watch.settle()
    watch.stop()
    const second = await world.register(people.owner)
    const next = world.open({ cursor })
    await next.settle()
    t.is(next.messages.filter(({ begin }) => begin).length, 0)
    t.deepEqual([next.row(first), next.row(second)?.resource_id], [undefined, second.resource_id])

    if (transport.name === 'rest') {
      const last = world.open({ last_event_id: cursor })
      await last.settle()
      t.is(last.row(first), undefined)
    }
    const other = await createWorld(t)
    const unusable = [
      world.open({ cursor, resource_types: ['document'] }),
      world.open({ cursor: 'unreadable' }),
      world.open({ cursor: Buffer.from('0'.repeat(140)).toString('base64url') }),
      other.open({ cursor }),
    ]
    for (const one of unusable) {
      await one.settle()
      t.is(one.messages.filter(({ begin }) => begin).length, 1)
    }
    t.is(unusable[1]?.rows().size, 2)
    t.is(unusable[3]?.rows().size, 0)
    const long = await world.open({ cursor: 'x'.repeat(201) }).ended
    t.is(long.reason, 'INVALID_REQUEST')
    const foreign = await world.open({ service_name: other.service }).ended
    t.is(foreign.reason, 'OTHER_SERVICE')
    t.not(service, other.service)
  })

  test.serial(title('a stream begins again after records were deleted'), async (t) => {
    const world = await createWorld(t)
    const watch = world.open()
    const { cursor } = await watch.settle()
    watch.stop()
    await world.register(world.people.owner)
    await pool.query("update resource_changes set recorded_at = now() - interval '25 hours'")
    const store = createResourceChangeStore(database.statements)
    // Transactions of other databases of the server, which have not ended, hold records back.
    await waitUntil(async () => {
      await store.prune(24)
      const { rows } = await pool.query('select from resource_changes')
      return rows.length === 0
    })
    t.is(await store.prune(24), 0)
    const next = world.open({ cursor })
    await next.settle()
    t.is(next.messages.filter(({ begin }) => begin).length, 1)
    t.is(next.rows().size, 1)
    // Records of this stream do not precede the horizon.
    const { cursor: current } = await next.settle()
    const last = world.open({ cursor: current })
    await last.settle()
    t.is(last.messages.filter(({ begin }) => begin).length, 0)
  })

  test.serial(title('types select resources, and the folders of them'), async (t) => {
    const world = await createWorld(t)
    const { people } = world
    const folder = await world.register(people.owner, { resource_type: 'folder' })
    const empty = await world.register(people.owner, { resource_type: 'folder' })
    const parent = refOf(folder)
    const document = await world.register(people.owner, { parent })
    const watch = world.open({ resource_types: ['document'] })
    await watch.settle()
    t.truthy(watch.row(folder))
    t.is(watch.row(empty), undefined)
    t.truthy(watch.row(document))
    await world.register(people.owner, {
      parent: refOf(empty),
    })
    await watch.settle()
    t.true(watch.row(empty)?.has_children)
  })

  test.serial(title('a transaction that commits late is not lost'), async (t) => {
    const world = await createWorld(t)
    const { people } = world
    const resource = await world.register(people.owner)
    const watch = world.open()
    await watch.settle()
    const client = await pool.connect()
    t.teardown(() => client.release(true))
    await client.query('begin')
    await client.query("update resources set visibility = 'workspace' where resource_id = $1", [
      resource.resource_id,
    ])
    const { rows } = await client.query('select pg_current_xact_id()::text as id')
    const others = [await world.register(people.owner), await world.register(people.owner)]
    await waitUntil(() => others.every((other) => watch.row(other)))
    const numberOf = ({ position }: { position: string }) => Number(position.split('-')[1])
    t.true(watch.bookmarks().every((bookmark) => numberOf(bookmark) <= Number(rows[0].id)))
    const { cursor = '' } = watch.bookmarks().at(-1) ?? {}
    const own = watch.row(resource)?.own.length ?? 0
    await client.query('commit')
    await watch.settle()
    t.is(watch.row(resource)?.own.length, own + 1)
    const next = world.open({ cursor })
    await next.settle()
    t.is(next.row(resource)?.own.length, own + 1)
  })

  test.serial(title('streams begin again in another history of the database'), async (t) => {
    const world = await createWorld(t)
    await world.register(world.people.owner)
    const watch = world.open()
    const { position } = await watch.settle()
    // As a crash does.
    await pool.query('truncate facts_epoch')
    await waitUntil(() => watch.messages.filter(({ begin }) => begin).length === 2)
    const later = await watch.settle()
    t.not(later.position.split('-')[0], position.split('-')[0])
    t.is(watch.rows().size, 1)
  })

  test.serial(title('a stream ends when its key is deleted'), async (t) => {
    const world = await createWorld(t)
    const watch = world.open()
    await watch.settle()
    await pool.query('delete from service_keys where app_id = $1', [world.appId])

    await pool.query(
      `insert into resources (id, kind_id, resource_id, workspace_id, owner_id, visibility)
       select gen_random_uuid(), id, gen_random_uuid(), $1, $2, 'private'
       from resource_kinds where service_name = $3`,
      [world.workspace, world.people.owner.id, world.service],
    )
    t.is((await watch.ended).reason, 'SERVICE_KEY_INVALID')
    t.is(watch.rows().size, 0)
  })

  test.serial(title('truncated tables and renamed types begin again'), async (t) => {
    const world = await createWorld(t)
    await world.register(world.people.owner)
    const watch = world.open()
    await watch.settle()
    await pool.query('truncate resource_links')
    await watch.settle()
    t.is(watch.messages.filter(({ begin }) => begin).length, 2)
    await pool.query("update resource_kinds set resource_type = 'paper' where service_name = $1", [
      world.service,
    ])
    await watch.settle()
    t.deepEqual(
      [...watch.rows().values()].map(({ resource_type }) => resource_type),
      ['paper'],
    )
  })
}

function refOf({ resource_type, resource_id }: Record<string, any>) {
  return { resource_type: resource_type ?? 'document', resource_id }
}

function idOf(resource: object) {
  const { id } = resource as { id: string }
  return { permission_id: id }
}
