import test, { type ExecutionContext } from 'ava'
import pg from 'pg'
import {
  prepareIndexes,
  prepareSchema,
} from '../../clients/typescript/src/access/copy/prepare-schema.ts'
import { resolveKeys } from '../../clients/typescript/src/access/copy/sql/lists.ts'
import {
  createAccess,
  type DatabasePool,
  type PageFragments,
  type Shape,
} from '../../clients/typescript/src/access.ts'
import { createScriptedDaikon } from '../support/access-script.ts'
import { cloneDatabase } from '../support/database.ts'

const total = 200_000
/** Each has the same number of documents. */
const folders = 10_000
/** Each has the same number of documents. */
const workspaces = 20
const types = { document: 'uuid' } as const
const table = 'resources_document'

/**
 * The people, with the key that each holds, and which documents accept it. `n` is the number of a document, in order of
 * time.
 */
const people = {
  ten: { key: 1, accepts: 'n % 20000 = 7', visible: 10 },
  twoHundred: { key: 2, accepts: 'n % 1000 = 8', visible: 200 },
  twentieth: { key: 3, accepts: 'n % 20 = 9', visible: 10_000 },
  most: { key: 4, accepts: 'n % 5 < 3', visible: 120_000 },
  everything: { key: 5, accepts: 'true', visible: 200_000 },
  oldest: { key: 6, accepts: 'n <= 10000', visible: 10_000 },
  /** Accepted by the first of the folders, not by documents. */
  someFolders: { key: 7, accepts: 'false', visible: 60 },
  manyFolders: { key: 8, accepts: 'false', visible: 12_000 },
  mostFolders: { key: 9, accepts: 'false', visible: 120_000 },
}
type Person = keyof typeof people
const names = Object.keys(people) as Person[]

type PlanNode = Record<string, unknown> & { Plans?: PlanNode[] }
type Statement = { text: string; values: unknown[] }

/** The numbers of folders on which people hold a key. */
const foldersOf = { someFolders: 3, manyFolders: 600, mostFolders: 6000 }

const firstFolderKey = 1000
const firstOtherKey = 20_000
const otherKeys = 50_000

const database = await cloneDatabase()
const pool = new pg.Pool({ connectionString: database.url, max: 1 })
test.after.always(async () => {
  await pool.end()
  await database.drop()
})
test.before(fillDatabase)

/** The statements of the library, in order. */
const statements: Statement[] = []
const { daikon, hold } = createScriptedDaikon()
const access = createAccess({ daikon, pool: recordingPool(), types })
for (const name of names) {
  // Nothing accepts these keys, which must not mislead the estimates of PostgreSQL.
  const unused = Array.from({ length: 1000 }, (_, index) => `other-${otherKeys + index}`)
  hold(name, [{ holders: [name, ...unused], levels: ['view'] }])
}
hold('judged', [], [{ holders: ['ten'], levels: ['view'] }])

const orders = { newest: 'd.created_at desc, d.id', title: 'd.title, d.id' }

/** A page of 20 documents. */
const pageOf =
  (order: string, page = 1) =>
  ({ sql, keys }: PageFragments) => ({
    text: `select d.id, d.title from documents d where ${sql('d.id', '$1')}
      order by ${order} limit 20 offset ${20 * (page - 1)}`,
    values: [keys],
  })

const view = (userId: string, rows = 20, options: object = {}) =>
  access.visible({ userId }, 'view', 'document', { rows, ...options })

/** The shape in which the documents of each person are listed. */
const shapes = {
  ten: 'few',
  twoHundred: 'few',
  someFolders: 'few',
  twentieth: 'many',
  most: 'many',
  everything: 'many',
  manyFolders: 'lazy',
  mostFolders: 'lazy',
} as const

for (const [name, shape] of Object.entries(shapes) as [keyof typeof shapes, Shape][])
  test.serial(`pages for ${name} have the shape ${shape}, and read what they need`, async (t) => {
    for (const order of Object.values(orders))
      for (const page of [1, 7]) {
        const visible = await view(name, 20 * page)
        t.is(visible.shape, shape)
        const list = pageOf(order, page)(visible)
        assertPage(t, await explain(list), name, 20 * page)
        assertPage(t, await explainGeneric(list), name, 20 * page)
      }
  })

/** Requires that a page reads a multiple of the documents that it needs at most. */
function assertPage(
  t: ExecutionContext,
  plan: PlanNode,
  name: keyof typeof shapes,
  rows: number,
): void {
  const { visible } = people[name]
  const isFew = shapes[name] === 'few'
  t.deepEqual(scannedTables(plan), [])
  t.is(usesKeyIndex(plan), isFew)
  t.is(findNodes(plan, 'Sort').length, isFew ? 1 : 0)
  // Documents that are visible are spread evenly, except in small samples.
  const read = isFew ? visible : 50 + (2 * rows * total) / visible
  assertAtMost(t, readRows(plan, 'documents'), read, 'documents')
  assertAtMost(t, readRows(plan, table), read, 'rows of the copy')
  // Each document is in one folder, with at most three grants.
  assertAtMost(t, readRows(plan, 'folder_grants'), 3 * read, 'grants on folders')
  assertAtMost(t, readBlocks(plan), 50 + (shapes[name] === 'lazy' ? 20 : 10) * read, 'blocks')
}

test.serial('counts read no more rows than they count', async (t) => {
  for (const name of names) {
    const visible = await view(name)
    for (const limit of [101, 1001]) {
      const title = `${name}, ${limit}`
      const count = await visible.count({ limit })
      t.is(count, Math.min(limit, people[name].visible), title)
      const plan = await explain(lastStatement())
      const needed = (count * total) / people[name].visible
      const isCountedByIndex = usesKeyIndex(plan)
      assertAtMost(t, readRows(plan, table), isCountedByIndex ? count : 500 + 3 * needed, title)
      if (people[name].visible <= 1000) t.true(isCountedByIndex, title)
    }
  }
})

test.serial(
  'documents that only a check can decide are found by the index of their keys',
  async (t) => {
    const visible = await view('judged', 20, { includeMaybe: true })
    const plan = await explain(pageOf(orders.newest)(visible))
    const indexes = findNodes(plan, 'Bitmap Index Scan').map((node) => node['Index Name'])
    t.deepEqual(indexes.slice(0, 2), [`${table}_accepts_idx`, `${table}_maybe_idx`])
    t.deepEqual(scannedTables(plan), [])
    assertAtMost(t, readRows(plan, table), people.ten.visible + 1, 'judged')
  },
)

test.serial('documents of one workspace are found in the same ways', async (t) => {
  // The workspace of the documents of `ten`, in which `most` sees all documents.
  const { rows } = await pool.query('select workspace_id from documents where n = 7')
  const workspaceId = rows[0].workspace_id
  for (const [name, shape, read] of [
    ['ten', 'few', people.ten.visible],
    ['most', 'many', 50],
  ] as const) {
    const visible = await view(name, 20, { workspaceId })
    t.is(visible.shape, shape)
    const text = `select d.id, d.title from documents d
      where d.workspace_id = $2 and ${visible.sql('d.id', '$1')}
      order by d.created_at desc, d.id limit 20`
    const plan = await explain({ text, values: [visible.keys, workspaceId] })
    t.deepEqual(scannedTables(plan), [], name)
    assertAtMost(t, readRows(plan, table), read, `${name}: rows of the copy`)
    assertAtMost(t, readRows(plan, 'documents'), read, `${name}: documents`)
  }
})

test.serial(
  'a page of documents that come late in its order is found by keys in the end',
  async (t) => {
    const visible = await view('oldest')
    t.is(visible.shape, 'many')
    const page = pageOf(orders.newest)
    const walk = await explain(page(visible))
    t.true(readRows(walk, 'documents') > total - people.oldest.visible)

    const before = statements.length
    const found = await visible.page<{ id: string }>(page, { timeoutMs: 1 })
    const texts = statements.slice(before).map(({ text }) => text)
    t.deepEqual([texts[0], texts[2]], ['begin; set local statement_timeout = 1', 'rollback'])
    t.is(texts.length, 4)
    const plan = await explain(lastStatement())
    t.true(usesKeyIndex(plan))
    assertAtMost(t, readRows(plan, table), people.oldest.visible, 'rows of the copy')
    assertAtMost(t, readRows(plan, 'documents'), people.oldest.visible, 'documents')

    const { rows } = await pool.query(
      'select id from documents where n <= 10000 order by created_at desc, id limit 20',
    )
    t.deepEqual(
      found.map(({ id }) => id),
      rows.map(({ id }) => id),
    )
    const { rows: timeouts } = await pool.query('show statement_timeout')
    t.is(timeouts[0].statement_timeout, '0')
  },
)

test.serial(
  'keys are resolved by indexes, and those that no document accepts are left out',
  async (t) => {
    const visible = await view('ten')
    t.deepEqual(visible.keys, [String(people.ten.key)])
    const resolving = lastStatement()
    for (const plan of [await explain(resolving), await explainGeneric(resolving)]) {
      t.deepEqual(scannedTables(plan), ['state'])
      assertAtMost(t, readBlocks(plan), 50 + 12 * 1001, 'blocks')
    }
  },
)

test.serial('no list is prepared, so that none has a generic plan', async (t) => {
  for (let run = 0; run < 7; run++)
    for (const name of ['ten', 'most'] as const) {
      const visible = await view(name)
      await visible.page(pageOf(orders.newest))
      await visible.count({ limit: 101 })
    }
  const { rows } = await pool.query('select statement from pg_prepared_statements')
  t.deepEqual(rows, [{ statement: resolveKeys }])
})

/** Creates documents, and a copy as a follower leaves it. */
async function fillDatabase(): Promise<void> {
  const client = await pool.connect()
  try {
    await prepareSchema(client, types)
    await client.query(`
      create table documents (
        id uuid primary key, n int not null, created_at timestamptz not null, title text not null,
        workspace_id uuid not null);
      insert into documents
      select md5('id' || n)::uuid, n, timestamptz '2026-01-01' + n * interval '1 minute', md5(n::text),
        md5('workspace' || n % ${workspaces})::uuid
      from generate_series(1, ${total}) n;
      create index on documents (created_at desc, id);
      create index on documents (workspace_id, created_at desc, id);
      create index on documents (title, id)`)
    await client.query(
      `insert into daikon_access.keys (id, holder, level) overriding system value
      select key, holder, 'view' from unnest($1::bigint[], $2::text[]) x (key, holder)`,
      [names.map((name) => people[name].key), names],
    )
    const accepted = names
      .map((name) => `case when ${people[name].accepts} then ${people[name].key} end`)
      .join(', ')
    await client.query(`
      insert into daikon_access.keys (id, holder, level) overriding system value
      select ${firstFolderKey} + n, 'folder-' || n, '' from generate_series(0, ${folders - 1}) n
      union all
      select ${firstOtherKey} + n, 'other-' || n, 'view' from generate_series(0, ${otherKeys + 1000}) n;
      insert into daikon_access.${table} (id, workspace_id, accepts, maybe, generation)
      select id, workspace_id, array_remove(array[${accepted},
          ${firstFolderKey} + n * 7919 % ${folders}, ${firstOtherKey} + n % ${otherKeys}], null)::bigint[],
        case when n % 100 = 0 then array[${firstOtherKey} + n % ${otherKeys}] end, 1
      from documents order by id;
      insert into daikon_access.occurrences
      select 'document', k, count(*) from daikon_access.${table}, unnest(accepts || maybe) k group by k;
      update daikon_access.state set complete = true, generation = 1, swept = 1, filled_types = '{document}'`)
    for (const [name, count] of Object.entries(foldersOf))
      await client.query(
        `insert into daikon_access.folder_grants (resource_type, resource_id, key, inherit_key, maybe, generation)
        select 'folder', md5('folder' || n)::uuid, $1, ${firstFolderKey} + n, false, 1
        from generate_series(0, $2::int - 1) n`,
        [people[name as Person].key, count],
      )
    await prepareIndexes(client, types)
    await client.query('analyze')
  } finally {
    client.release()
  }
}

/** The pool, which records what the library runs. */
function recordingPool(): DatabasePool {
  const record = (text: string, values: unknown[] = []) => statements.push({ text, values })
  return {
    query(statement: string | { text: string }, values?: unknown[]) {
      const text = typeof statement === 'string' ? statement : statement.text
      record(text, values)
      return pool.query(statement as string, values)
    },
    async connect() {
      const client = await pool.connect()
      return {
        query(text, values) {
          record(text, values)
          return client.query(text, values)
        },
        on: (event, listener) => client.on(event, listener),
        release: (destroy) => client.release(destroy),
      }
    },
  }
}

function lastStatement(): Statement {
  return statements.at(-1) as Statement
}

/** Runs a statement, and returns its plan. */
async function explain({ text, values }: Statement): Promise<PlanNode> {
  const { rows } = await pool.query(`explain (analyze, buffers, format json) ${text}`, values)
  return rows[0]['QUERY PLAN'][0].Plan
}

/** `explain` of a generic plan, which drivers that prepare statements can get after five runs. */
async function explainGeneric({ text, values }: Statement): Promise<PlanNode> {
  const client = await pool.connect()
  try {
    await client.query('set plan_cache_mode = force_generic_plan')
    await client.query(`prepare list as ${text}`)
    const literals = values.map((value) =>
      pg.escapeLiteral(Array.isArray(value) ? `{${value.join()}}` : String(value)),
    )
    const { rows } = await client.query(
      `explain (analyze, buffers, format json) execute list (${literals.join()})`,
    )
    return rows[0]['QUERY PLAN'][0].Plan
  } finally {
    await client.query('deallocate list')
    await client.query('reset plan_cache_mode')
    client.release()
  }
}

function nodesOf(plan: PlanNode): PlanNode[] {
  return [plan, ...(plan.Plans ?? []).flatMap(nodesOf)]
}

function findNodes(plan: PlanNode, type: string): PlanNode[] {
  return nodesOf(plan).filter((node) => node['Node Type'] === type)
}

/** The tables of which a plan reads all rows. */
function scannedTables(plan: PlanNode): unknown[] {
  return findNodes(plan, 'Seq Scan').map((node) => node['Relation Name'])
}

/** Whether documents are found by the GIN index of the keys that they accept. */
function usesKeyIndex(plan: PlanNode): boolean {
  return findNodes(plan, 'Bitmap Index Scan').some((node) =>
    String(node['Index Name']).startsWith(`${table}_accepts`),
  )
}

/** The number of rows that a plan reads from a table, with those that do not match. */
function readRows(plan: PlanNode, relation: string): number {
  const number = (node: PlanNode, name: string) => Number(node[name] ?? 0)
  return nodesOf(plan)
    .filter((node) => node['Relation Name'] === relation)
    .reduce((sum, node) => {
      const perLoop =
        number(node, 'Actual Rows') +
        number(node, 'Rows Removed by Filter') +
        number(node, 'Rows Removed by Index Recheck')
      return sum + perLoop * number(node, 'Actual Loops')
    }, 0)
}

/** The number of blocks that a plan reads. */
function readBlocks(plan: PlanNode): number {
  return Number(plan['Shared Hit Blocks']) + Number(plan['Shared Read Blocks'])
}

function assertAtMost(t: ExecutionContext, actual: number, limit: number, title: string): void {
  t.true(actual <= limit, `${title}: ${actual} instead of at most ${limit}`)
}
