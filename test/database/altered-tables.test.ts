// Migrations alter tables while nodes of the previous version run, which have prepared statements.
import { globSync, readFileSync } from 'node:fs'
import test from 'ava'
import { type BatchedQuery, batched } from '../../src/database/batched-query.ts'
import { createRequestFixture } from '../support/request-fixture.ts'
import { startTestEnvironment } from '../support/test-environment.ts'

const environment = await startTestEnvironment()
const { app, database, pool } = environment
test.after.always(() => environment.stop())

/** SQL of `src` outside migrations. */
const sources = globSync('src/**/*.ts').filter(
  (file) => !file.startsWith('src/database/migrations'),
)

test('statements name the columns of tables', async (t) => {
  const { rows } = await pool.query<{ name: string }>(
    "select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'v')",
  )
  const tables = rows.map(({ name }) => name).join('|')
  const all = new RegExp(`returning (\\w+\\.)?\\*|select \\*\\s+from (${tables})\\b`)
  t.deepEqual(
    sources.filter((file) => all.test(readFileSync(file, 'utf8'))),
    [],
  )
})

const addColumnsSql = `
  do $$ declare name text; begin
    for name in select quote_ident(relname) from pg_class
      where relnamespace = 'public'::regnamespace and relkind = 'r' loop
      execute format('alter table %s add column added_by_a_migration int not null default 1', name);
    end loop;
  end $$`

test.serial('no method fails after a column has been added to every table', async (t) => {
  const operations = app.operations.filter(({ policy }) => policy.tier !== 'public')
  async function callAll() {
    const failures: string[] = []
    for (const transport of environment.transports) {
      const requests = await createRequestFixture(environment, transport)
      for (const operation of operations) {
        const credentials = requests.credentials(operation, requests.fixture.people.owner)
        const message = requests.message(operation)
        // Twice, so that idle connections have prepared its statements.
        for (let count = 0; count < 2; count += 1) {
          const outcome = await transport.call(operation.name, message, credentials)
          if (!outcome.ok && ['internal', 'unavailable'].includes(outcome.code))
            failures.push(`${operation.name} over ${transport.label}: ${JSON.stringify(outcome)}`)
        }
      }
    }
    return failures
  }
  t.deepEqual(await callAll(), [])
  await pool.query(addColumnsSql)
  t.deepEqual(await callAll(), [])
})

test.serial(
  'a prepared statement whose columns have changed runs on another connection',
  async (t) => {
    await pool.query('create table altered (id int)')
    await pool.query('insert into altered values (1)')
    const sql = 'select altered.*, pg_sleep(0.05)::text from altered'
    const selectAll = () => database.statements.rows<[number, ...unknown[]]>('altered', sql, [])
    const query: BatchedQuery = {
      name: 'altered',
      isWrite: true,
      sql: `with item as (select * from json_to_recordset($1) as item (index int))
      update altered set id = id from item returning item.index, altered.*`,
    }
    const update = () => batched<{ id: number; more?: string }>(database.fork(), query, {})
    // Prepares the statement on every connection of the pool.
    await Promise.all(Array.from({ length: 20 }, selectAll))
    t.deepEqual(await update(), { id: 1 })
    await pool.query(`alter table altered add column more text default 'new'`)
    for (const [id, more] of (await Promise.all(Array.from({ length: 20 }, selectAll))).flat())
      t.deepEqual([id, more], [1, 'new'])
    t.deepEqual(await update(), { id: 1, more: 'new' })
  },
)
