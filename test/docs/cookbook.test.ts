// Runs the programs of docs/following-changes-cookbook.md as a reader copies them.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import test, { type ExecutionContext } from 'ava'
import { createDaikon } from '../../clients/typescript/src/daikon.ts'
import { sealActivity } from '../../src/activity/seal.ts'
import { createStores } from '../../src/server/stores.ts'
import { expectOk } from '../support/outcome.ts'
import { startTestEnvironment } from '../support/test-environment.ts'
import type { Transport } from '../support/transports.ts'
import { waitUntil } from '../support/wait-until.ts'
import { createWorkspaceFixture, type ResourceRecord } from '../support/workspace-fixture.ts'

const root = join(import.meta.dirname, '../..')
const page = readFileSync(join(root, 'docs/following-changes-cookbook.md'), 'utf8')
const environment = await startTestEnvironment()
const { pool, database, transports, seed } = environment
const [transport] = transports as [Transport]
const fixture = await createWorkspaceFixture(environment, transport)
const { key, service, people, workspace } = fixture
const asOwner = fixture.as(people.owner)
const { viewer } = people
const folder = mkdtempSync(join(tmpdir(), 'daikon-cookbook-'))
test.after.always(async () => {
  await environment.stop()
  rmSync(folder, { recursive: true })
})

/** The modules that the programs import. */
const modules: Record<string, string> = {
  '@daikon-auth/client': join(root, 'clients/typescript/src/daikon.ts'),
  '@daikon-auth/client/grpc': join(root, 'clients/typescript/src/grpc.ts'),
}

/** The programs, with the paths of their modules and the service of the test. */
const programs = new Map<string, string>()
const blocks = page.matchAll(/<!-- file: (\S+) -->\n```ts\n([\s\S]*?)^```$/gm)
for (const [, name = '', text = ''] of blocks) {
  programs.set(name, join(folder, name))
  const adapted = text
    .replace(/(?<= from ')[^']+(?=')/g, (module) => modules[module] ?? module)
    .replace(/'docs(?=[:'])/g, `'${service}`)
  writeFileSync(join(folder, name), adapted)
}

async function seal() {
  while ((await sealActivity(createStores(database.fork()))) > 0);
}

async function call(method: string, message: object, credentials: object = { key }) {
  const response = expectOk(await transport.call(method, message, credentials))
  await seal()
  return response
}

const share = ({ id }: ResourceRecord, grantee: object, more: object = {}) =>
  call('Share', { permission_id: id, permission: 'view', ...grantee, ...more }, asOwner)

const toUser = (id: string) => ({ grantee_type: 'user', grantee_id: id })
const toGroup = (id: string) => ({ grantee_type: 'group', grantee_id: id })

/** Creates a client, and the signal that stops a program. */
function start(t: ExecutionContext) {
  const address = `127.0.0.1:${environment.grpcPort}`
  const daikon = createDaikon({ address, service, serviceKey: key, deadlineMs: 30_000 })
  const controller = new AbortController()
  t.teardown(() => {
    controller.abort()
    daikon.close()
  })
  return { daikon, controller, signal: controller.signal }
}

test('the programs of the cookbook compile', (t) => {
  t.timeout(600_000)
  t.deepEqual([...programs.keys()], ['search-index.ts', 'decision-cache.ts', 'mirror.ts'])
  const types = join(root, 'node_modules/@types')
  const options = {
    extends: join(root, 'tsconfig.json'),
    compilerOptions: { noEmit: true, typeRoots: [types], paths: { pg: [join(types, 'pg')] } },
    include: [],
    files: [...programs.values()],
  }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(options))
  writeFileSync(join(folder, 'package.json'), '{"type": "module"}')
  const { stdout, status } = spawnSync(join(root, 'node_modules/.bin/tsc'), ['-p', folder])
  t.is(status, 0, String(stdout))
})

test.serial('the search index follows documents, groups and members', async (t) => {
  const { keepInStep, search } = await import(programs.get('search-index.ts') as string)
  const { daikon, controller, signal } = start(t)
  const titles = new Map<string, string>()
  const entries = new Map<string, { title: string; readers: string[] }>()
  let cursor: string | undefined = '1-0123456789abcdef'
  const documents = {
    find: async (id: string) => (titles.has(id) ? { title: titles.get(id) } : undefined),
    list: async () => [...titles.keys()],
  }
  const index = {
    put: async (id: string, entry: { title: string; readers: string[] }) => entries.set(id, entry),
    remove: async (id: string) => entries.delete(id),
    search: async (words: string, userId: string) =>
      [...entries]
        .filter(([, { title, readers }]) => title.includes(words) && readers.includes(userId))
        .map(([id]) => id),
    readCursor: async () => cursor,
    storeCursor: async (value: string) => {
      cursor = value
    },
  }
  const create = async (title: string) => {
    const record = await fixture.register(people.owner)
    titles.set(record.resource_id, title)
    await seal()
    return record
  }
  const find = (): Promise<string[]> =>
    search(daikon, index, { token: viewer.token, userId: viewer.id }, 'document')
  const finds = async (...records: ResourceRecord[]) => {
    const expected = records.map(({ resource_id }) => resource_id).toSorted()
    await waitUntil(async () => (await find()).toSorted().join() === expected.join())
  }

  // The index was in step with another database, so it is built again.
  const first = await create('an old document')
  await share(first, toUser(viewer.id))
  const running = keepInStep(daikon, documents, index, signal)
  await finds(first)
  const second = await create('a new document')
  const group = await seed.group(workspace)
  await share(second, toGroup(group))
  const membership = { workspace_id: workspace, group_id: group, user_id: viewer.id }
  await call('AddGroupMember', membership, asOwner)
  await finds(first, second)
  await call('RemoveGroupMember', membership, asOwner)
  t.deepEqual(await find(), [first.resource_id])
  await waitUntil(() => entries.get(second.resource_id)?.readers.includes(viewer.id) === false)
  titles.delete(first.resource_id)
  await call('Unregister', { permission_id: first.id })
  await waitUntil(() => !entries.has(first.resource_id))
  controller.abort()
  await running
})

test.serial(
  'the cache answers until something changes, and not without a connection',
  async (t) => {
    const { createDecisionCache } = await import(programs.get('decision-cache.ts') as string)
    const { daikon, controller, signal } = start(t)
    const record = await fixture.register(people.owner)
    await seal()
    let checks = 0
    let waitForCheck = async () => {}
    const counted = {
      ...daikon,
      check: async (...question: Parameters<typeof daikon.check>) => {
        checks += 1
        const isAllowed = await daikon.check(...question)
        await waitForCheck()
        return isAllowed
      },
    }
    const cache = createDecisionCache(counted, signal)
    const id = record.resource_id
    const question = { workspaceId: workspace, userId: viewer.id, action: 'view', id }
    const isRemembered = async () => {
      const before = checks
      await cache.isAllowed(question)
      return checks === before
    }
    await waitUntil(isRemembered)
    t.false(await cache.isAllowed(question))

    await share(record, toUser(viewer.id))
    await waitUntil(() => cache.isAllowed(question))
    await waitUntil(isRemembered)

    // A check that began before a change must not be remembered after it.
    const started = Promise.withResolvers<void>()
    const changed = Promise.withResolvers<void>()
    const other = await seed.newMember(workspace)
    waitForCheck = () => {
      started.resolve()
      return changed.promise
    }
    const isOtherAllowed = () => cache.isAllowed({ ...question, userId: other })
    const pending = isOtherAllowed()
    await started.promise
    await share(record, toUser(other))
    waitForCheck = async () => {}
    await waitUntil(async () => !(await isRemembered()))
    changed.resolve()
    t.false(await pending)
    t.true(await isOtherAllowed())

    controller.abort()
    await cache.ended
    t.false(await isRemembered())
  },
)

test.serial('the mirror has the shares of daikon, whatever ended them', async (t) => {
  const { mirrorShares } = await import(programs.get('mirror.ts') as string)
  const { daikon, controller, signal } = start(t)
  const [, schema = ''] = /```sql\n(create table mirrored[\s\S]*?)```/.exec(page) ?? []
  await pool.query(schema)
  const listed: { type: string; id: string }[] = []
  const register = async (more: object = {}) => {
    const record = await fixture.register(people.owner, { ...more })
    listed.push({ type: record.resource_type, id: record.resource_id })
    return record
  }
  const group = await seed.group(workspace)
  const leaver = await seed.newMember(workspace)
  const old = await register()
  await share(old, toUser(viewer.id))
  await share(old, toUser(leaver))

  const readMirror = async () => {
    const { rows } = await pool.query(
      `select resource, grantee_type, grantee_id, permission, expires_at is not null as expires
       from mirrored_shares`,
    )
    return rows
  }
  const readShares = async () => {
    const shares: object[] = []
    for (const { type, id } of listed) {
      const name = { service_name: service, resource_type: type, resource_id: id }
      const outcome = await transport.call('GetResource', name, { key })
      if (!outcome.ok && outcome.code === 'not_found') continue
      for (const { grantee_type, grantee_id, permission, expires_at } of expectOk(outcome).shares) {
        const resource = `${type}/${id}`
        shares.push({ resource, grantee_type, grantee_id, permission, expires: !!expires_at })
      }
    }
    return shares
  }
  const isSame = async (count: number) => {
    const sort = (shares: object[]) => shares.map((share) => JSON.stringify(share)).toSorted()
    const expected = sort(await readShares())
    t.is(expected.length, count)
    // The last event may change a share and not their number.
    await waitUntil(async () => isDeepStrictEqual(sort(await readMirror()), expected))
  }
  let running = mirrorShares(daikon, pool, async () => listed, signal)
  await isSame(2)

  const folderRecord = await register({ resource_type: 'folder' })
  const { resource_type, resource_id } = folderRecord
  const child = await register({ parent: { resource_type, resource_id } })
  await share(folderRecord, toGroup(group))
  await share(child, toUser(viewer.id), { expires_at: new Date(Date.now() + 3_600_000) })
  await share(child, toUser(viewer.id), { permission: 'edit' })
  await isSame(4)

  // What changes while the mirror is stopped is applied when it starts again.
  controller.abort()
  await running
  const next = start(t)
  await call('RemoveMember', { workspace_id: workspace, user_id: leaver }, asOwner)
  await call('DeleteGroup', { workspace_id: workspace, group_id: group }, asOwner)
  const begin = () => Promise.reject(new Error('the mirror must not begin again'))
  running = mirrorShares(next.daikon, pool, begin, next.signal)
  await isSame(2)

  await call('Unregister', { permission_id: folderRecord.id, cascade: true })
  await isSame(1)
  await call(
    'RevokeShare',
    { permission_id: old.id, permission: 'view', ...toUser(viewer.id) },
    asOwner,
  )
  await isSame(0)
  const { rows } = await pool.query('select resource from mirrored_resources')
  t.deepEqual(rows, [{ resource: `document/${old.resource_id}` }])
  next.controller.abort()
  await running
})
