import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import test from 'ava'
import { grantKinds } from '../../src/permissions/engine/grants/grant-kinds.ts'
import { cloneDatabase } from '../support/database.ts'

const golden = join(import.meta.dirname, '../golden/grants.txt')

test('the golden file shows which kinds of grants take part in which operations', async (t) => {
  const head = ['kind', 'checks', 'lists', 'folders', 'subjects', 'reasons', 'change records']
  const rows = grantKinds.map(
    ({ rule, bits, resources, folders, subjects, reasons, changeRecords }) => [
      rule,
      ...[bits, resources, folders, subjects, reasons].map((member) =>
        member === null ? '-' : 'yes',
      ),
      changeRecords.join(', '),
    ],
  )
  const widths = head.map((_, column) =>
    Math.max(...[head, ...rows].map((row) => row[column]?.length ?? 0)),
  )
  const text = [head, ...rows]
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
  if (process.env.UPDATE_GOLDEN) await writeFile(golden, `${text}\n`)
  t.is(`${text}\n`, await readFile(golden, 'utf8'))
})

test('every table that a kind of grant reads records its changes', async (t) => {
  const clone = await cloneDatabase()
  t.teardown(clone.drop)
  const { rows } = await clone.pool.query(`
    select distinct event_object_table as name from information_schema.triggers
    where trigger_name like 'record_access_%'`)
  const recorded = rows.map(({ name }) => name)
  const sql = JSON.stringify(
    grantKinds.map(({ bits, reasons, resources, folders, subjects }) => [
      bits?.('r', 'hashed'),
      reasons,
      resources?.(values),
      folders?.from(values),
      subjects,
    ]),
  )
  const read = [...sql.matchAll(/\b(?:from|join) ([a-z_]+)/g)].map(([, name = '']) => name)
  // \`custom_roles\` only has names; \`chain\`, \`subject\` and \`resource_workspace\` are defined by the statements.
  const derived = ['chain', 'subject', 'resource_workspace', 'custom_roles', 'lateral']
  const named = read.map((name) => (name === 'live_members' ? 'members' : name))
  const tables = [...new Set(named)].filter((name) => !derived.includes(name))
  t.true(tables.length >= 7)
  t.deepEqual(
    tables.filter((name) => !recorded.includes(name)),
    [],
  )
  for (const { rule, changeRecords } of grantKinds)
    for (const table of changeRecords) t.true(recorded.includes(table), `${rule}: ${table}`)
})

const values = {
  workspace: '$1',
  user: '$2',
  kind: '$3',
  first: '$4',
  limit: '$5',
  grants: '$6',
  action: '$7',
  permission: 's.permission',
}
