import { randomUUID } from 'node:crypto'
import test, { type ExecutionContext } from 'ava'
import { type Database, openDatabase } from '../../src/database/database.ts'
import { poolTimeouts } from '../../src/database/pool.ts'
import { hashServiceKey } from '../../src/identity/service-keys.ts'
import type { FactsQuery, Loaded, LoadFacts } from '../../src/permissions/engine/facts.ts'
import type { ListQuery } from '../../src/permissions/engine/lists/list.ts'
import { createLoadList } from '../../src/permissions/engine/lists/load-list.ts'
import { firstId } from '../../src/permissions/engine/lists/page-token.ts'
import { createLoadFacts } from '../../src/permissions/engine/load-facts.ts'
import { createChangeFeed } from '../../src/permissions/engine/memory/change-feed.ts'
import { createFactsMemory } from '../../src/permissions/engine/memory/facts-memory.ts'
import type { CacheResult } from '../../src/permissions/engine/memory/verified-cache.ts'
import type { Subject } from '../../src/permissions/engine/question.ts'
import { AccessChangeStore } from '../../src/permissions/store/access-change-store.ts'
import { cloneDatabase } from '../support/database.ts'
import { insertDelegation } from '../support/delegation-rows.ts'
import { startReplicatedCluster } from '../support/replication.ts'
import { createSeed } from '../support/seed.ts'
import { waitUntil } from '../support/wait-until.ts'

const cluster = await startReplicatedCluster(2)
process.env.TEST_DATABASE_URL = cluster.primary.url
const clone = await cloneDatabase()
const standbyUrls = cluster.standbys.map(({ url }) =>
  url.replace(/daikon$/, new URL(clone.url).pathname.slice(1)),
)
const database = await openDatabase(clone.url, () => {})
const withStandbys = await openDatabase(clone.url, () => {}, poolTimeouts, { urls: standbyUrls })
const seed = createSeed(clone.pool)
const loadFacts = createLoadFacts(database.statements)
const loadList = createLoadList(database.statements)
test.after.always(async () => {
  await withStandbys.close()
  await database.close()
  await clone.drop()
  await cluster.close()
})

/** Where the facts in memory are loaded and confirmed. */
let place: Database = database

/** Tests facts in memory beside a primary, and beside two standbys that share the statements. */
function testMemory(title: string, run: (t: ExecutionContext) => Promise<void>) {
  test.serial(title, (t) => {
    place = database
    return run(t)
  })
  test.serial(`${title}, on standbys`, async (t) => {
    place = withStandbys
    const { state } = withStandbys.replicas as NonNullable<Database['replicas']>
    await waitUntil(() => state().replicas.every(({ status }) => status === 'ok'))
    await run(t)
  })
}

const sql = (text: string, ...values: unknown[]) => clone.pool.query(text, values)
/** Returns the ID of the resource kind. */
const kindOf = async (service: string) =>
  (
    await sql(
      `insert into resource_kinds (service_name, resource_type) values ($1, 'document') returning id`,
      service,
    )
  ).rows[0].id

type World = Awaited<ReturnType<typeof createWorld>>

/**
 * Creates a workspace with a viewer, who may view three documents: one is shared with the viewer,
 * one with a group of the viewer, and one inherits a share from the parent of its parent. A custom
 * role lets the viewer publish.
 */
async function createWorld() {
  const service = `docs-${randomUUID()}`
  const kind = await kindOf(service)
  const { id: app, key } = await seed.serviceApp(service)
  const workspace = await seed.workspace()
  const viewer = await seed.newMember(workspace)
  await sql('update users set external_id = $2 where id = $1', viewer, randomUUID())
  const owner = await seed.newMember(workspace, 'owner')
  const group = await seed.group(workspace, [viewer])
  const otherGroup = await seed.group(workspace)
  const publish = await seed.serviceAction(service, 'publish')
  const review = await seed.serviceAction(service, 'review')
  const role = await seed.customRole(workspace, [publish], [viewer])
  const addResource = async (parent?: string) => {
    const row = { id: randomUUID(), resource_id: randomUUID() }
    await sql(
      `insert into resources (id, kind_id, resource_id, workspace_id, owner_id, visibility, parent_id)
       values ($1, $2, $3, $4, $5, 'private', $6)`,
      row.id,
      kind,
      row.resource_id,
      workspace,
      owner,
      parent ?? null,
    )
    if (parent) await sql('update resources set is_parent = true where id = $1', parent)
    return row
  }
  const root = await addResource()
  const folder = await addResource(root.id)
  const document = await addResource(folder.id)
  const shared = await addResource()
  const grouped = await addResource()
  const reviewed = await addResource()
  await sql("insert into resource_types values ($1, gen_random_uuid(), '')", kind)
  await sql("insert into resource_roles values ($1, 'reviewer', '', '{view}', 1)", kind)
  const share = (
    resource: string,
    grantee: { user?: string; group?: string },
    permission: 'view' | 'edit' | 'reviewer' = 'view',
  ) =>
    sql(
      `insert into shares (id, kind_id, resource_id, workspace_id, user_id, group_id, permission)
       values (gen_random_uuid(), $1, $2, $3, $4, $5, $6)`,
      kind,
      resource,
      workspace,
      grantee.user ?? null,
      grantee.group ?? null,
      permission,
    )
  await share(shared.resource_id, { user: viewer })
  await share(grouped.resource_id, { group })
  await share(root.resource_id, { user: viewer })
  await share(reviewed.resource_id, { user: viewer }, 'reviewer')
  const checkOf = (resourceId: string, action: string) => ({
    serviceName: service,
    resourceType: 'document',
    resourceId,
    action,
  })
  const query: FactsQuery = {
    keyHash: hashServiceKey(key),
    tokenId: randomUUID(),
    userId: viewer,
    workspaceId: workspace,
    checks: [shared, grouped, document, reviewed].flatMap(({ resource_id }) =>
      ['view', 'publish', 'review'].map((action) => checkOf(resource_id, action)),
    ),
  }
  const people = { viewer, owner }
  const resources = { root, folder, document, shared, grouped, reviewed }
  const groups = { group, otherGroup }
  return { ...people, ...resources, ...groups, app, workspace, role, review, query, share }
}

type Change = (world: World) => Promise<unknown>

/** Changes, each of which affects the facts of the world's query. */
const changes: Record<string, Change> = {
  'a share with the user': ({ document, viewer, share }) =>
    share(document.resource_id, { user: viewer }, 'edit'),
  'a share with a group': ({ shared, group, share }) =>
    share(shared.resource_id, { group }, 'edit'),
  'a changed permission of a share': ({ shared }) =>
    sql(`update shares set permission = 'edit' where resource_id = $1`, shared.resource_id),
  'a role that gains an action': () =>
    sql(`update resource_roles set actions = '{view,review}' where name = 'reviewer'`),
  'a role that loses an action': () =>
    sql(`update resource_roles set actions = '{review}' where name = 'reviewer'`),
  'a removed role': () => sql('delete from resource_roles'),
  'a revoked share': ({ shared }) =>
    sql('delete from shares where resource_id = $1', shared.resource_id),
  'a share that has expired': ({ shared }) =>
    sql(`update shares set expires_at = now() where resource_id = $1`, shared.resource_id),
  'a share that expires': async ({ shared }) => {
    const { rows } = await sql(
      `update shares set expires_at = clock_timestamp() + '30 ms' where resource_id = $1
       returning expires_at::text`,
      shared.resource_id,
    )
    await sql(`select pg_sleep_until($1::timestamptz + '1 ms')`, rows[0].expires_at)
  },
  'a share of an ancestor': ({ folder, group, share }) =>
    share(folder.resource_id, { group }, 'edit'),
  'a revoked share of an ancestor': ({ root }) =>
    sql('delete from shares where resource_id = $1', root.resource_id),
  'the changed visibility of an ancestor': ({ root }) =>
    sql(`update resources set visibility = 'workspace' where id = $1`, root.id),
  'a new owner of an ancestor': ({ folder, viewer }) =>
    sql('update resources set owner_id = $2 where id = $1', folder.id, viewer),
  'an ancestor that no longer inherits': ({ folder }) =>
    sql('update resources set inherits = false where id = $1', folder.id),
  'a move of an ancestor': ({ folder }) =>
    sql('update resources set parent_id = null where id = $1', folder.id),
  'a move of the resource': ({ document }) =>
    sql('update resources set parent_id = null where id = $1', document.id),
  'a deleted ancestor': ({ root }) => sql('delete from resources where id = $1', root.id),
  'a changed visibility': ({ shared }) =>
    sql(`update resources set visibility = 'workspace' where id = $1`, shared.id),
  'a new owner': ({ shared, viewer }) =>
    sql('update resources set owner_id = $2 where id = $1', shared.id, viewer),
  'a deleted resource': ({ shared }) => sql('delete from resources where id = $1', shared.id),
  'a removed group member': ({ group }) =>
    sql('delete from group_members where group_id = $1', group),
  'a deleted group': ({ group }) => sql('delete from groups where id = $1', group),
  'a changed role': ({ viewer }) =>
    sql(`update members set role = 'admin' where user_id = $1`, viewer),
  'a membership that has ended': ({ viewer }) =>
    sql('update members set expires_at = now() where user_id = $1', viewer),
  'a membership that ends': async ({ viewer }) => {
    const { rows } = await sql(
      `update members set expires_at = clock_timestamp() + '30 ms' where user_id = $1
       returning expires_at::text`,
      viewer,
    )
    await sql(`select pg_sleep_until($1::timestamptz + '1 ms')`, rows[0].expires_at)
  },
  'a removed member': ({ viewer }) => sql('delete from members where user_id = $1', viewer),
  'a deactivated user': ({ viewer }) =>
    sql('update users set is_active = false where id = $1', viewer),
  'a new administrator': ({ viewer }) =>
    sql('update users set is_admin = true where id = $1', viewer),
  'a deleted user': ({ viewer }) => sql('delete from users where id = $1', viewer),
  'a deleted workspace': ({ workspace }) => sql('delete from workspaces where id = $1', workspace),
  'a denied token': ({ query }) => seed.denyToken(query.tokenId ?? ''),
  'an action of a role': ({ role, review }) =>
    sql(
      'insert into custom_role_actions (role_id, service_action_id) values ($1, $2)',
      role,
      review,
    ),
  'the removal of an action from a role': ({ role }) =>
    sql('delete from custom_role_actions where role_id = $1', role),
  'the removal of a member from a role': ({ role }) =>
    sql('delete from custom_role_members where role_id = $1', role),
  'a deleted role': ({ role }) => sql('delete from custom_roles where id = $1', role),
  'a deleted action': ({ review }) => sql('delete from service_actions where id = $1', review),
  'a renamed action': ({ review }) =>
    sql(`update service_actions set name = 'rename' where id = $1`, review),
  'a deactivated service app': ({ app }) =>
    sql('update service_apps set is_active = false where id = $1', app),
  'a deleted service key': ({ app }) => sql('delete from service_keys where app_id = $1', app),
  'a service key that is already expired': ({ app }) =>
    sql(`update service_keys set expires_at = now() - interval '1 day' where app_id = $1`, app),
  'a service key that expires': async ({ app }) => {
    const { rows } = await sql(
      `update service_keys set expires_at = clock_timestamp() + '30 ms' where app_id = $1
       returning expires_at::text`,
      app,
    )
    await sql(`select pg_sleep_until($1::timestamptz + '1 ms')`, rows[0].expires_at)
  },
  'more changes than one read returns': async ({ shared, workspace }) => {
    await sql('delete from shares where resource_id = $1', shared.resource_id)
    const insert = `insert into access_changes (workspace_id, item_id)
      select $1, gen_random_uuid() from generate_series(1, 1001)`
    await sql(insert, workspace)
  },
  'changes of more rows of a workspace than are recorded individually': async ({
    workspace,
    shared,
  }) => {
    await sql(
      `insert into resources (id, kind_id, resource_id, workspace_id, owner_id, visibility)
       select gen_random_uuid(), kind_id, gen_random_uuid(), workspace_id, owner_id, 'private'
       from resources, generate_series(1, 150) where id = $1`,
      shared.id,
    )
    const update = `update resources set visibility = 'workspace' where workspace_id = $1`
    await sql(update, workspace)
  },
  'truncated shares': () => sql('truncate shares'),
  'a membership of a group that passes to another user': ({ group, owner }) =>
    sql('update group_members set user_id = $2 where group_id = $1', group, owner),
  'a membership that passes to another group': ({ group, otherGroup }) =>
    sql('update group_members set group_id = $2 where group_id = $1', group, otherGroup),
  'a membership of a group that an insert updates': ({ group, viewer, owner, workspace }) =>
    sql(
      `insert into group_members (group_id, user_id, workspace_id) values ($1, $2, $3)
       on conflict (group_id, user_id) do update set user_id = $4`,
      group,
      viewer,
      workspace,
      owner,
    ),
  'a member of a role that becomes another': ({ role, owner }) =>
    sql('update custom_role_members set user_id = $2 where role_id = $1', role, owner),
  'an action of a role that becomes another': ({ role, review }) =>
    sql('update custom_role_actions set service_action_id = $2 where role_id = $1', role, review),
  'a share that passes to another resource': ({ shared, document }) =>
    sql(
      'update shares set resource_id = $2 where resource_id = $1',
      shared.resource_id,
      document.resource_id,
    ),
  'a resource whose ID changes': ({ document }) =>
    sql('update resources set resource_id = gen_random_uuid() where id = $1', document.id),
  'a deletion of shares in a trigger': async ({ shared, owner }) => {
    await sql(`create or replace function delete_shares() returns trigger language plpgsql as $$
      begin
        delete from shares where resource_id = '${shared.resource_id}';
        return null;
      end $$`)
    await sql(`create trigger delete_shares after update of name on users
      for each row execute function delete_shares()`)
    await sql('update users set name = name where id = $1', owner)
    await sql('drop trigger delete_shares on users')
  },
  'a revoked share without foreign keys and triggers': async ({ shared }) => {
    await sql(`begin;
      set local session_replication_role = replica;
      delete from shares where resource_id = '${shared.resource_id}';
      commit`)
  },
  'a member who becomes another user, without foreign keys': async ({ viewer }) => {
    await sql(`begin;
      set local session_replication_role = replica;
      update members set user_id = gen_random_uuid() where user_id = '${viewer}';
      commit`)
  },
  'a type of another name': ({ query }) =>
    sql(
      `update resource_kinds set resource_type = 'file' where service_name = $1`,
      query.checks[0]?.serviceName,
    ),
  'the first routes of the service': ({ query }) => insertRoutes(query),
}

const insertRoutes = ({ checks: [check] }: FactsQuery) =>
  sql(
    `insert into service_routes (service_name, id, version, routes)
     values ($1, gen_random_uuid(), gen_random_uuid(), '[]')`,
    check?.serviceName,
  )

/** Changes that require preparation, so that no other change affects the facts. */
const preparedChanges: Record<string, { prepare: Change; change: Change }> = {
  'a new member': {
    prepare: ({ viewer }) => sql('delete from members where user_id = $1', viewer),
    change: ({ workspace, viewer }) => seed.member(workspace, viewer, 'admin'),
  },
  'the removal of a member without groups, shares and roles': {
    async prepare({ viewer }) {
      await sql('delete from shares where user_id = $1', viewer)
      await sql('delete from group_members where user_id = $1', viewer)
      await sql('delete from custom_role_members where user_id = $1', viewer)
    },
    change: ({ viewer }) => sql('delete from members where user_id = $1', viewer),
  },
  'the deletion of a user without workspaces': {
    prepare: ({ viewer }) => sql('delete from members where user_id = $1', viewer),
    change: ({ viewer }) => sql('delete from users where id = $1', viewer),
  },
  'a new group member': {
    prepare: ({ shared, otherGroup, share }) =>
      share(shared.resource_id, { group: otherGroup }, 'edit'),
    change: ({ otherGroup, viewer, workspace }) =>
      sql(
        'insert into group_members (group_id, user_id, workspace_id) values ($1, $2, $3)',
        otherGroup,
        viewer,
        workspace,
      ),
  },
  'a role of a group': {
    prepare: ({ viewer }) => sql('delete from custom_role_members where user_id = $1', viewer),
    change: ({ role, group, workspace }) =>
      sql(
        'insert into custom_role_groups (role_id, group_id, workspace_id) values ($1, $2, $3)',
        role,
        group,
        workspace,
      ),
  },
  'the removal of a role from a group': {
    async prepare({ role, group, workspace, viewer }) {
      await sql('delete from custom_role_members where user_id = $1', viewer)
      await sql(
        'insert into custom_role_groups (role_id, group_id, workspace_id) values ($1, $2, $3)',
        role,
        group,
        workspace,
      )
    },
    change: ({ role }) => sql('delete from custom_role_groups where role_id = $1', role),
  },
  'a new member of a role': {
    async prepare(world) {
      world.role = await seed.customRole(world.workspace, [world.review], [])
    },
    change: ({ role, viewer, workspace }) =>
      sql(
        'insert into custom_role_members (role_id, user_id, workspace_id) values ($1, $2, $3)',
        role,
        viewer,
        workspace,
      ),
  },
  'a new action': {
    prepare: ({ review }) => sql('delete from service_actions where id = $1', review),
    change: ({ query }) => seed.serviceAction(query.checks[0]?.serviceName ?? '', 'review'),
  },
  'a new resource': {
    prepare: ({ shared }) => sql('delete from resources where id = $1', shared.id),
    change: ({ shared, grouped }) =>
      sql(
        `insert into resources (id, kind_id, resource_id, workspace_id, owner_id, visibility)
         select $1, kind_id, $2, workspace_id, owner_id, 'workspace' from resources where id = $3`,
        shared.id,
        shared.resource_id,
        grouped.id,
      ),
  },
  'a role that gets its declaration later': {
    prepare: async () => {
      await sql('delete from resource_roles')
    },
    change: async ({ query }) =>
      sql(
        `insert into resource_roles
         select id, 'reviewer', '', '{view}', 1 from resource_kinds where service_name = $1`,
        query.checks[0]?.serviceName,
      ),
  },
  'a tree that is not deleted after all': {
    prepare: ({ root }) => sql('insert into deleted_trees (id) values ($1)', root.id),
    change: ({ root }) => sql('delete from deleted_trees where id = $1', root.id),
  },
  'truncated deletions of trees': {
    prepare: ({ root }) => sql('insert into deleted_trees (id) values ($1)', root.id),
    change: () => sql('truncate deleted_trees'),
  },
  'changed routes': {
    prepare: ({ query }) => insertRoutes(query),
    change: () => sql('update service_routes set version = gen_random_uuid()'),
  },
  'deleted routes': {
    prepare: ({ query }) => insertRoutes(query),
    change: () => sql('delete from service_routes'),
  },
  'truncated routes': {
    prepare: ({ query }) => insertRoutes(query),
    change: () => sql('truncate service_routes'),
  },
  'the first active service app': {
    prepare: () => sql('update service_apps set is_active = false'),
    change: () =>
      sql(`insert into service_apps (id, name, service_name) values (gen_random_uuid(), 'a', 'a')`),
  },
  'the deletion of the last active service app': {
    async prepare({ app, query }) {
      await sql('update service_apps set is_active = (id = $1)', app)
      await sql('delete from service_keys where app_id = $1', app)
      query.keyHash = undefined
    },
    change: ({ app }) => sql('delete from service_apps where id = $1', app),
  },
}

/** Creates a cache that records whether each query was a hit. */
function createCache(load: LoadFacts = createLoadFacts(place.reads), maxBytes = 1_000_000) {
  const results: CacheResult[] = []
  const feed = createChangeFeed(place.statements, place.replicas)
  const onQuery = (result: CacheResult) => results.push(result)
  const memory = createFactsMemory({ feed, maxBytes, onQuery })
  const cached = memory.rememberFacts(load)
  const cachedList = memory.rememberLists(createLoadList(place.reads), 'certain')
  return { cached, cachedList, feed, results }
}

type Cache = ReturnType<typeof createCache>

/** Loads facts until they are in memory. */
const warmUp = ({ cached, results }: Cache, query: FactsQuery) =>
  waitUntil(async () => {
    await cached(query)
    return results.at(-1) === 'hit'
  })

/** Loads a list until it is in memory. */
const warmUpList = ({ cachedList, results }: Cache, query: ListQuery) =>
  waitUntil(async () => {
    await cachedList(query)
    return results.at(-1) === 'hit'
  })

async function assertFresh(
  t: ExecutionContext,
  { cached }: Cache,
  query: FactsQuery,
  load: LoadFacts = loadFacts,
) {
  const expected = decisive(await load(query))
  t.deepEqual(decisive(await cached(query)), expected)
  return expected
}

const decisive = ({ status, facts }: Loaded<number>) => ({ status, facts })

/** Returns the query for the list of resources on which the user may perform the action. */
function listOf({ checks, ...caller }: FactsQuery, action: string): ListQuery {
  const { serviceName = '', resourceType = '' } = checks[0] ?? {}
  return { ...caller, serviceName, resourceType, action, firstId, limit: 100 }
}

/** Returns the same checks as a service asks them about a subject. */
function evaluationOf({ keyHash, checks }: FactsQuery, subject: Subject): FactsQuery {
  return { keyHash, checks: checks.map((check) => ({ ...check, subject })) }
}

/** Returns the same checks as a service asks them that names the user in each way. */
async function evaluationsOf(query: FactsQuery): Promise<FactsQuery[]> {
  const { userId } = query
  const { rows } = await sql('select email, external_id from users where id = $1', userId)
  const [{ email, external_id: externalId }] = rows
  const subjects: Subject[] = [{ userId }, { email }, { externalId }, { isAnonymous: true }]
  return subjects.map((subject) => evaluationOf(query, subject))
}

const allChanges = [
  ...Object.entries(changes).map(([name, change]) => ({ name, prepare: undefined, change })),
  ...Object.entries(preparedChanges).map(([name, steps]) => ({ name, ...steps })),
]

for (const { name, prepare, change } of allChanges) {
  testMemory(`${name} is noticed`, async (t) => {
    const world = await createWorld()
    await prepare?.(world)
    const cache = createCache()
    await warmUp(cache, world.query)
    const before = await assertFresh(t, cache, world.query)
    t.is(cache.results.at(-1), 'hit')
    const evaluations = await evaluationsOf(world.query)
    for (const evaluation of evaluations) await warmUp(cache, evaluation)
    const lists = ['view', 'publish', 'review'].map((action) => listOf(world.query, action))
    for (const list of lists) {
      await warmUpList(cache, list)
      t.deepEqual(await cache.cachedList(list), await loadList(list))
      t.is(cache.results.at(-1), 'hit')
    }
    await change(world)
    const after = await assertFresh(t, cache, world.query)
    t.notDeepEqual(after, before)
    t.not(cache.results.at(-1), 'hit')
    for (const evaluation of evaluations) await assertFresh(t, cache, evaluation)
    for (const list of lists) {
      t.deepEqual(await cache.cachedList(list), await loadList(list))
    }
  })
}

/** Changes of a delegation of the viewer, each of which affects what it covers. */
const delegationChanges: Record<string, (id: string, world: World) => Promise<unknown>> = {
  'a delegation that ends': (id) =>
    sql('update delegations set ended_at = now() where id = $1', id),
  'a delegation that has expired': (id) =>
    sql('update delegations set expires_at = now() where id = $1', id),
  'a delegation that expires': async (id) => {
    const { rows } = await sql(
      `update delegations set expires_at = clock_timestamp() + '30 ms' where id = $1
       returning expires_at::text`,
      id,
    )
    await sql(`select pg_sleep_until($1::timestamptz + '1 ms')`, rows[0].expires_at)
  },
  'a deleted delegation': (id) => sql('delete from delegations where id = $1', id),
  'the actions of a delegation': (id) =>
    sql(`update delegations set actions = '{publish}' where id = $1`, id),
  'the resources of a delegation': (id) =>
    sql(`update delegations set resources = '{}' where id = $1`, id),
  'a workspace that refuses delegations': (_, { workspace }) =>
    sql('update workspaces set delegations = false where id = $1', workspace),
  'a member with a delegation who is removed': (_, { viewer }) =>
    sql('delete from members where user_id = $1', viewer),
  'a share with the user of a delegation': (_, { document, viewer, share }) =>
    share(document.resource_id, { user: viewer }, 'edit'),
}

for (const [name, change] of Object.entries(delegationChanges)) {
  testMemory(`${name} is noticed`, async (t) => {
    const world = await createWorld()
    const { query, viewer, workspace } = world
    const delegationId = await insertDelegation(clone.pool, {
      ...{ user_id: viewer, workspace_id: workspace, actions: ['view', 'review', 'publish'] },
      service_name: query.checks[0]?.serviceName ?? '',
    })
    const cache = createCache(createLoadFacts(place.reads, undefined, 'delegation'))
    const load = createLoadFacts(database.statements, undefined, 'delegation')
    const queries = [{ ...query, delegationId }, evaluationOf(query, { delegationId })]
    const before: unknown[] = []
    for (const one of queries) {
      await warmUp(cache, one)
      before.push(await assertFresh(t, cache, one, load))
      t.is(cache.results.at(-1), 'hit')
    }
    await change(delegationId, world)
    for (const [index, one] of queries.entries())
      t.notDeepEqual(await assertFresh(t, cache, one, load), before[index])
  })
}

const renames = [
  { name: 'e-mail address', column: 'email' },
  { name: 'external ID', column: 'external_id' },
]
for (const { name, column } of renames) {
  testMemory(`a changed ${name} is noticed, also if another user gets it`, async (t) => {
    const { query, viewer, owner } = await createWorld()
    const { rows } = await sql(`select ${column} as name from users where id = $1`, viewer)
    const subject = column === 'email' ? { email: rows[0].name } : { externalId: rows[0].name }
    const evaluation = evaluationOf(query, subject)
    const cache = createCache()
    await warmUp(cache, evaluation)
    const before = await assertFresh(t, cache, evaluation)
    t.is(cache.results.at(-1), 'hit')
    await sql(
      `update users set ${column} = $2 where id = $1`,
      viewer,
      `${randomUUID()}@example.com`,
    )
    const meanwhile = await assertFresh(t, cache, evaluation)
    t.notDeepEqual(meanwhile, before)
    await assertFresh(t, cache, evaluation)
    await sql(`update users set ${column} = $2 where id = $1`, owner, rows[0].name)
    t.notDeepEqual(await assertFresh(t, cache, evaluation), meanwhile)
  })
}

test.serial('facts that are not all in memory are loaded without a confirmation', async (t) => {
  const { query } = await createWorld()
  const sent: string[] = []
  const feed = createChangeFeed({
    rows(name, sql, values) {
      sent.push(name)
      return database.statements.rows(name, sql, values)
    },
  })
  const cached = createFactsMemory({ feed, maxBytes: 1_000_000 }).rememberFacts(loadFacts)
  await cached({ ...query, checks: query.checks.slice(1) })
  await cached(query)
  t.deepEqual(sent, [])
  await cached(query)
  t.deepEqual(sent, ['access changes'])
})

test.serial(
  'changes are read by index even if there were none when the read was planned',
  async (t) => {
    await sql('truncate access_changes')
    await sql('vacuum analyze access_changes')
    await createChangeFeed(database.statements).refresh('')
    const explainSql = 'explain (format json) execute "access changes" (null, null, 1, 0)'
    const [row] = await database.statements.rows<[plan: object]>('explain', explainSql, [])
    const plan = JSON.stringify(row)
    for (const table of ['access_changes', 'shares', 'members', 'delegations', 'service_keys']) {
      t.true(plan.includes(`"Relation Name":"${table}"`), table)
      t.notRegex(plan, new RegExp(`"Seq Scan",[^{}]*"Relation Name":"${table}"`))
    }
  },
)

testMemory('a list stays in memory until something in its workspace changes', async (t) => {
  const world = await createWorld()
  const other = await createWorld()
  const cache = createCache()
  const { cachedList, results } = cache
  const list = listOf(world.query, 'view')
  await warmUpList(cache, list)
  await sql('delete from shares where resource_id = $1', other.shared.resource_id)
  await cachedList(list)
  t.is(results.at(-1), 'hit')
  await sql('delete from shares where resource_id = $1', world.grouped.resource_id)
  t.deepEqual(await cachedList(list), await loadList(list))
  t.is(results.at(-1), 'changed')
})

testMemory(
  'irrelevant changes and changes in other workspaces leave the facts in memory',
  async (t) => {
    const world = await createWorld()
    const other = await createWorld()
    const cache = createCache()
    await warmUp(cache, world.query)
    const { share, folder, document, owner, shared } = other
    await share(document.resource_id, { user: owner })
    await sql('delete from shares where resource_id = $1', folder.resource_id)
    await sql('update users set is_active = false where id = $1', owner)
    await sql('delete from resources where id = $1', shared.id)
    await sql('update users set last_sign_in_at = now() where id = $1', world.viewer)
    await sql('update service_apps set last_used_at = now() where id = $1', world.app)
    await seed.newMember(world.workspace)
    await cache.cached(world.query)
    t.is(cache.results.at(-1), 'hit')
  },
)

testMemory(
  'a change is noticed when its transaction commits, even if it runs for a long time',
  async (t) => {
    const { shared, query } = await createWorld()
    const cache = createCache()
    await warmUp(cache, query)
    const client = await clone.pool.connect()
    t.teardown(() => client.release())
    await client.query('begin')
    await client.query('savepoint part')
    await client.query('delete from shares where resource_id = $1', [shared.resource_id])
    await client.query('release savepoint part')
    // These transactions start later and commit earlier.
    await seed.user()
    await cache.cached(query)
    await seed.user()
    const before = await assertFresh(t, cache, query)
    t.is(cache.results.at(-1), 'hit')
    await client.query('commit')
    t.notDeepEqual(await assertFresh(t, cache, query), before)
  },
)

testMemory('facts that change while they are loaded are not cached', async (t) => {
  const { shared, query } = await createWorld()
  let isInterfering = false
  const cache = createCache(async (query, scope) => {
    const facts = await loadFacts(query, scope)
    if (isInterfering) {
      isInterfering = false
      await sql('delete from shares where resource_id = $1', shared.resource_id)
      await cache.feed.refresh('')
    }
    return facts
  })
  await cache.feed.refresh('')
  isInterfering = true
  await cache.cached(query)
  await assertFresh(t, cache, query)
})

testMemory('a UUID in capital letters identifies the same resource', async (t) => {
  const { shared, query } = await createWorld()
  const checks = query.checks.map((check) => ({
    ...check,
    resourceId: check.resourceId.toUpperCase(),
  }))
  const cache = createCache()
  await warmUp(cache, { ...query, checks })
  await sql('delete from shares where resource_id = $1', shared.resource_id)
  await assertFresh(t, cache, { ...query, checks })
})

testMemory('facts of rejected credentials are not cached', async (t) => {
  const { query, viewer } = await createWorld()
  const { cached, results } = createCache()
  const load = async (query: FactsQuery) => {
    for (let times = 0; times < 3; times += 1) await cached(query)
    t.false(results.includes('hit'))
  }
  await load({ ...query, keyHash: hashServiceKey('unknown') })
  const tokenId = randomUUID()
  await seed.denyToken(tokenId)
  await load({ ...query, tokenId })
  await sql('update users set is_active = false where id = $1', viewer)
  await load(query)
})

testMemory('recently used facts stay in memory', async (t) => {
  const { query } = await createWorld()
  const cache = createCache(undefined, 20_000)
  const { cached, results } = cache
  const used = { ...query, checks: query.checks.slice(0, 1) }
  await warmUp(cache, used)
  for (let times = 0; times < 50; times += 1) {
    const checks = query.checks.map((check) => ({ ...check, resourceId: randomUUID() }))
    await cached({ ...query, checks: checks.slice(0, 3) })
    await cached(used)
    t.is(results.at(-1), 'hit')
  }
})

const passMinute = () =>
  sql(`update access_changes_horizon set noted_at = now() - interval '2 minutes'`)

async function countChanges({ resource_id }: { resource_id: string }): Promise<number> {
  const count = 'select count(*)::int from access_changes where item_id = $1'
  return (await sql(count, resource_id)).rows[0].count
}

testMemory(
  'a node that misses changes because they were deleted trusts none of its cached facts',
  async (t) => {
    const { shared, query } = await createWorld()
    const cache = createCache()
    await warmUp(cache, query)
    await sql('delete from shares where resource_id = $1', shared.resource_id)
    // The first round only notes the horizon. More are needed while transactions of other test files
    // are running, because transaction IDs are common to all databases of a server.
    await waitUntil(async () => {
      await passMinute()
      await new AccessChangeStore(database.fork()).prune()
      return (await countChanges(shared)) === 0
    })
    await assertFresh(t, cache, query)
    t.not(cache.results.at(-1), 'hit')
  },
)

testMemory(
  'changes are retained for a minute, and the horizon of a restored database is corrected',
  async (t) => {
    const { shared, query } = await createWorld()
    await sql('delete from shares where resource_id = $1', shared.resource_id)
    const recorded = await countChanges(shared)
    t.true(recorded > 0)
    await passMinute()
    await new AccessChangeStore(database.fork()).prune()
    t.is(await countChanges(shared), recorded)

    const future = `pg_snapshot_xmax(pg_current_snapshot())::text::bigint + 1000000`
    await sql(`update access_changes_horizon
    set pruned_before = (${future})::text::xid8, next_horizon = (${future})::text::xid8`)
    await passMinute()
    await new AccessChangeStore(database.fork()).prune()
    const cache = createCache()
    await warmUp(cache, query)
    const { rows } =
      await sql(`select pruned_before <= pg_snapshot_xmax(pg_current_snapshot()) as is_past
    from access_changes_horizon`)
    t.true(rows[0].is_past)
  },
)
