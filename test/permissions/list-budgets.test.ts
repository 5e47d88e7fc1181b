import { randomUUID } from 'node:crypto'
import test from 'ava'
import type { Statements } from '../../src/database/statement-pool.ts'
import { hashServiceKey } from '../../src/identity/service-keys.ts'
import { type ListQuery, splitIds } from '../../src/permissions/engine/lists/list.ts'
import { createLoadList, type ListBudget } from '../../src/permissions/engine/lists/load-list.ts'
import { firstId } from '../../src/permissions/engine/lists/page-token.ts'
import { startTestEnvironment } from '../support/test-environment.ts'
import type { Transport } from '../support/transports.ts'
import { createWorkspaceFixture, type ResourceRecord } from '../support/workspace-fixture.ts'

const environment = await startTestEnvironment()
test.after.always(() => environment.stop())

/** Six folders of the viewer, one in another, with three children each, among 20 other children. */
async function createFolders() {
  const fixture = await createWorkspaceFixture(environment, environment.transports[0] as Transport)
  const { kind, key, workspace, people } = fixture
  const { owner, viewer } = fixture.people
  const register = (parent?: ResourceRecord, more: object = {}) => {
    const { resource_type } = kind
    const names = parent && { parent: { resource_type, resource_id: parent.resource_id } }
    return fixture.register(owner, { ...names, ...more })
  }
  const other = await register()
  const folders = [await register(undefined, { owner_id: viewer.id })]
  for (const index of [0, 1, 2, 3, 4])
    folders.push(await register(index === 2 ? folders[0] : undefined, { owner_id: viewer.id }))
  const inFolder = folders.map(() => [] as string[])
  for (let count = 0; count < 20; count += 1) {
    await register(other)
    if (count >= 18) continue
    const child = await register(folders[count % 6])
    inFolder[count % 6]?.push(child.resource_id)
  }
  await environment.pool.query('update resources set inherits = false where resource_id = $1', [
    inFolder[5]?.pop(),
  ])
  const own = await register(other, { owner_id: viewer.id })
  const query: ListQuery = {
    serviceName: kind.service_name,
    resourceType: kind.resource_type,
    keyHash: hashServiceKey(key),
    tokenId: randomUUID(),
    userId: people.viewer.id,
    workspaceId: workspace,
    action: 'view',
    firstId,
    limit: 100,
  }
  const all = [...folders, own].map(({ resource_id }) => resource_id)
  return { query, folders, inFolder, all: [...all, ...inFolder.flat()].toSorted() }
}

/** Loads a page within budgets, and returns the number of statements that read folders. */
async function load(query: ListQuery, budgets: ListBudget[]) {
  let attempts = 0
  const statements: Statements = {
    rows<Row extends unknown[]>(name: string, sql: string, values: unknown[]) {
      if (name === 'list with folders') attempts += 1
      return environment.database.statements.rows<Row>(name, sql, values)
    },
  }
  const { joinedIds, nextId } = await createLoadList(statements, { budgetsOf: () => budgets })(
    query,
  )
  return { ids: splitIds(joinedIds), nextId, attempts }
}

/** Loads all pages of a list, each of `limit` IDs and the first of the next one. */
async function loadPages(query: ListQuery, limit: number, budgets: ListBudget[]) {
  const pages: string[][] = []
  let next: string | undefined = query.firstId
  while (next !== undefined) {
    const page = await load({ ...query, firstId: next, limit: limit + 1 }, budgets)
    pages.push(page.ids.slice(0, limit))
    next = page.ids[limit] ?? page.nextId
  }
  return pages
}

const budgets: Record<string, ListBudget[]> = {
  'all folders': [{ folders: 1000, children: 2 }],
  'no folders': [{ folders: 0, children: 1000 }],
  'no folders and few children': [{ folders: 0, children: 3 }],
  'fewer folders than there are': [
    { folders: 2, children: 2 },
    { folders: 5, children: 9 },
  ],
}

for (const [label, limits] of Object.entries(budgets)) {
  test(`the pages of a list contain each resource once if statements read ${label}`, async (t) => {
    const { query, folders, inFolder, all } = await createFolders()
    for (const limit of [1, 4, 100])
      t.deepEqual((await loadPages(query, limit, limits)).flat(), all)

    await environment.pool.query('insert into deleted_trees (id) values ($1)', [folders[0]?.id])
    // The fourth folder is in the first.
    const deleted = [0, 3].flatMap((n) => [folders[n]?.resource_id, ...(inFolder[n] ?? [])])
    const left = all.filter((id) => !deleted.includes(id))
    t.deepEqual((await loadPages(query, 4, limits)).flat(), left)
  })
}

test('a page that the last budget does not fill ends early', async (t) => {
  const { query, all } = await createFolders()
  const page = await load(query, [{ folders: 5, children: 6 }])
  t.is(page.attempts, 1)
  t.true(page.nextId !== undefined)
  t.deepEqual(
    page.ids,
    all.filter((id) => id < String(page.nextId)),
  )
  t.true(page.ids.length < all.length)
})

test('a page that a budget does not fill is loaded with the next one', async (t) => {
  const { query, all } = await createFolders()
  const few = { folders: 5, children: 6 }
  const many = { folders: 0, children: 100 }
  const complete = { ids: all, nextId: undefined }
  t.like(await load(query, [few, { folders: 6, children: 6 }]), { ...complete, attempts: 2 })
  t.like(await load(query, [few, many]), { ...complete, attempts: 2 })
  t.like(await load({ ...query, limit: 2 }, [many, many]), { nextId: undefined, attempts: 1 })
})
