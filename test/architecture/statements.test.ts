import { globSync } from 'node:fs'
import { resolve } from 'node:path'
import test from 'ava'
import pg from 'pg'
import { cloneDatabase } from '../support/database.ts'
import { type ActualColumn, createDescribe } from '../support/statements/describe.ts'
import {
  type Column,
  type ColumnKind,
  findStatements,
} from '../support/statements/find-statements.ts'
import { neverNull } from '../support/statements/never-null.ts'

/** Calls whose SQL only a running program has: from a filter of a list, or as an argument. */
const dynamic = [
  'src/activity/store/activity-store.ts find',
  'src/admin/key-usage.ts write',
  'src/admin/store/name-search-store.ts find',
  'src/database/replicas/replica-reads.ts rowsWithSnapshot',
  'src/permissions/engine/lists/load-list.ts loadFlat',
  'src/permissions/engine/lists/load-list.ts loadSingle',
  'src/permissions/store/resource-store.ts listPage',
  'src/scim/store/list-filtered.ts listFiltered',
]

/** What the driver makes of the values of a type. Arrays are `array`, and JSON is anything. */
const kindsOfType: Record<string, ColumnKind[]> = {
  bool: ['boolean'],
  float8: ['number'],
  int4: ['number'],
  text: ['string'],
  timestamptz: ['string', 'date'],
  uuid: ['string'],
}

const root = resolve(import.meta.dirname, '../..')
const files = globSync('src/**/*.ts', { cwd: root }).map((file) => resolve(root, file))

test('the columns of every statement are those that the type of its rows claims', async (t) => {
  t.timeout(600_000)
  const { url, drop } = await cloneDatabase()
  const client = new pg.Client(url)
  await client.connect()
  t.teardown(async () => {
    await client.end()
    await drop()
  })
  const describe = await createDescribe(client)
  const statements = await findStatements(root, files)
  t.true(statements.length > 400)
  const notConstant = statements.filter(({ problem }) => problem !== undefined)
  t.deepEqual([...new Set(notConstant.map(({ place }) => place))].toSorted(), dynamic.toSorted())
  const problems: string[] = []
  const needed = new Set<string>()
  for (const { place, texts, columns = [] } of statements)
    for (const text of texts) {
      const actual = await describe(text).catch((error: Error) => error)
      if (actual instanceof Error) problems.push(`${place}: ${actual.message}\n${text}`)
      else
        for (const [name, problem] of compare(columns, actual)) {
          const isExplained = problem === mayBeNull && neverNull[place]?.includes(name, 1)
          if (isExplained) needed.add(`${place}: ${name}`)
          else problems.push(`${place}: ${name} ${problem}`)
        }
    }
  t.deepEqual(problems, [])
  const listed = Object.entries(neverNull).flatMap(([place, [, ...names]]) =>
    names.map((name) => `${place}: ${name}`),
  )
  t.deepEqual(listed.toSorted(), [...needed].toSorted())
})

const mayBeNull = 'may be null, and its type does not say so'

/** Columns without names belong to rows that are lists, and are compared by position. */
function compare(columns: Column[], actual: ActualColumn[]): [name: string, problem: string][] {
  return columns.flatMap(({ name, type, kinds, isOptional }, index) => {
    const problem = (text: string): [string, string][] => [[name || String(index), text]]
    const column = name === '' ? actual[index] : actual.find((one) => one.name === name)
    if (!column) return isOptional ? [] : problem('is not returned')
    if (column.type.startsWith('json')) return []
    const allowed = column.type.startsWith('_') ? ['array'] : (kindsOfType[column.type] ?? [])
    const isRight = kinds.every((kind) => ['any', 'null', ...allowed].includes(kind))
    if (!isRight) return problem(`is ${column.type}, and not ${type}`)
    const isNullAllowed = kinds.includes('null') || kinds.includes('any')
    return column.isNullable && !isNullAllowed ? problem(mayBeNull) : []
  })
}
