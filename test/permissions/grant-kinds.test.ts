import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import test from 'ava'
import { grantSteps } from '../../console/src/resources/grant-steps.ts'
import { grant, isAllowed, memberFact } from '../../src/permissions/access.ts'
import type { PairedResource } from '../../src/permissions/engine/grants/access-pairs.ts'
import type { NotApplicable } from '../../src/permissions/engine/grants/grant-kind.ts'
import { grantKinds, partsOf } from '../../src/permissions/engine/grants/grant-kinds.ts'
import {
  askedColumns,
  chainColumns,
  reasonSubjectColumns,
  resourceColumns,
  shareColumns,
} from '../../src/permissions/engine/grants/offered-columns.ts'
import { subjectKinds } from '../../src/permissions/engine/subjects/subject-kinds.ts'
import {
  grantSentences,
  type NamedDecision,
} from '../../src/permissions/evaluate/grant-sentences.ts'
import { readClientCases } from '../support/client-cases.ts'
import { cloneDatabase } from '../support/database.ts'

const golden = join(import.meta.dirname, '../golden/grants.txt')

type Kind = (typeof grantKinds)[number]

/** Returns what a kind does in an operation, or why it takes no part. */
function cellOf<Member>(
  member: Member,
  describe: (part: Exclude<Member, NotApplicable>) => string,
): string {
  const { notApplicable } = Object(member) as Partial<NotApplicable>
  if (notApplicable !== undefined) return `n/a: ${notApplicable}`
  return describe(member as Exclude<Member, NotApplicable>)
}

function namesOf(bits: number): string {
  const names = Object.entries(grant).filter(([, bit]) => bits & bit)
  return names.map(([name]) => name).join(', ')
}

/** What a sentence about a grant is about. */
const decision = {
  user: 'Carol',
  subject: { type: 'user', id: 'carol' },
  action: 'view',
  resource: { serviceName: 'docs', resourceType: 'document', id: 'plan' },
  explanation: { kind: 'user', bits: 0, grantList: [], unmet: [] },
  names: { workspace: 'Demo', groups: new Map([['g', 'Interns']]) },
} as unknown as NamedDecision

/** Resources with every kind of grant. */
const pairedResources = (['workspace', 'public'] as const).map((visibility): PairedResource => {
  const share = {
    permission: 'view',
    isConditional: false,
    expiresAt: null,
    resourceType: 'document',
  }
  return {
    workspaceId: 'demo',
    ownerId: 'carol',
    visibility,
    shares: [
      { ...share, granteeId: 'dave', isGroup: false },
      { ...share, granteeId: 'interns', isGroup: true, permission: 'helper' },
    ],
    links: [{ ...share, granteeId: 'link', isGroup: false }],
  }
})

/** What each kind does in each operation. */
const operations: Record<string, (kind: Kind, erasures: Map<string, string>) => string> = {
  'checks, evaluations, action searches': ({ bits, actionGranted }) =>
    typeof actionGranted === 'function'
      ? 'a fact about the action'
      : cellOf(bits, ({ isOwnGrant }) =>
          isOwnGrant ? 'yes' : 'only in statements with ancestors',
        ),
  'lists, resource searches': ({ resources }) => cellOf(resources, () => 'yes'),
  'lists of what inherits': ({ folders }) => cellOf(folders, ({ bits }) => namesOf(bits)),
  'subject searches': ({ subjects }) => cellOf(subjects, () => 'yes'),
  'workspace checks': ({ workspaceRoles }) => cellOf(workspaceRoles, () => 'yes'),
  'for guests': ({ folders, actionGranted, storedIn }) => {
    if (storedIn === 'resource_links') return 'n/a: a link is no member'
    if (storedIn === 'members') return 'n/a: guests are viewers'
    if (typeof actionGranted === 'function') return 'on what they see otherwise'
    return cellOf(folders, ({ bits }) => {
      const seen = Object.entries(grant).filter(
        ([, bit]) =>
          bits & bit && isAllowed('viewer', 'view', grant.registered | memberFact.guest | bit),
      )
      return seen.map(([name]) => name).join(', ') || 'nothing'
    })
  },
  conditions: ({ conditions }) => cellOf(conditions, () => 'yes'),
  explanations: ({ reasons, idMember }) => {
    const id = cellOf(idMember, (name) => name)
    return cellOf(reasons, () => (id.startsWith('n/a') ? 'yes' : `yes, by ${id}`))
  },
  sentences: ({ rule, storedIn }) => {
    const isOfGroup = rule === 'group_share' || storedIn === 'custom_role_groups'
    const role = rule.endsWith('role') ? { role: 'helper' } : { permission: 'view' }
    const details = { rule, ...role, ...(isOfGroup && { groupId: 'g' }) }
    return `"${grantSentences[rule].allows(details, decision)}"`
  },
  'what if': ({ assumedBy }) =>
    cellOf(assumedBy, ({ assumption, grantee }) =>
      [assumption, grantee].filter(Boolean).join(' with a '),
    ),
  links: ({ rule }) => {
    const { rules } = subjectKinds.link
    if (rules?.[rule]) return `listed as ${rules[rule]}`
    const isOfLinks = Object.values(rules ?? {}).includes(rule)
    return isOfLinks ? 'what they grant' : 'n/a: links have no such grants'
  },
  "keys of a service's lists": ({ accessPairs }) =>
    cellOf(accessPairs, ({ accepted }) => {
      const pairs = pairedResources.flatMap((resource) => accepted(resource))
      return [...new Set(pairs.map(({ holder, level }) => `${level} of ${holder}`))].join(', ')
    }),
  memory: ({ changeRecords }) => cellOf(changeRecords, (tables) => tables.join(', ')),
  expiry: ({ expiry }) => cellOf(expiry, (table) => table),
  erasure: ({ storedIn }, erasures) => `${storedIn}, ${erasures.get(storedIn)}`,
  console: ({ rule }) => `"${grantSteps[rule].describe({ permission: 'view', role: 'helper' })}"`,
  fakes: ({ rule }) => (testedRules().has(rule) ? 'shared cases' : ''),
}

/** Returns the rules that the cases for the fakes of all languages expect. */
function testedRules(): Set<string> {
  const text = JSON.stringify(readClientCases().cases)
  const found = [...text.matchAll(/"rules":(\[[^\]]*\])/g)]
  return new Set(found.flatMap(([, rules = '[]']) => JSON.parse(rules)))
}

test('the golden file shows what each kind of grant does in each operation', async (t) => {
  const clone = await cloneDatabase()
  t.teardown(clone.drop)
  const { rows } = await clone.pool.query(`
    select c.conrelid::regclass::text as name,
      'with ' || string_agg(distinct c.confrelid::regclass::text, ', ') as erased
    from pg_constraint c where c.contype = 'f' and c.confdeltype = 'c' group by c.conrelid`)
  const erasures = new Map(rows.map(({ name, erased }) => [name, erased]))
  const blocks = grantKinds.map((kind) => {
    const lines = Object.entries(operations).map(([name, describe]) => {
      const cell = describe(kind, erasures)
      t.regex(cell, /\S/, `${kind.rule}: ${name}`)
      t.notRegex(cell, /undefined/, `${kind.rule}: ${name}`)
      return `  ${name}: ${cell}\n`
    })
    return `${kind.rule} in ${kind.storedIn}\n${lines.join('')}`
  })
  const text = blocks.join('')
  if (process.env.UPDATE_GOLDEN) await writeFile(golden, text)
  t.is(text, await readFile(golden, 'utf8'))
})

test('every table that a kind of grant reads records its changes', async (t) => {
  const clone = await cloneDatabase()
  t.teardown(clone.drop)
  const { rows } = await clone.pool.query(`
    select distinct event_object_table as name from information_schema.triggers
    where trigger_name like 'record_access_%'`)
  const recorded = rows.map(({ name }) => name)
  const sql = JSON.stringify([
    partsOf('bits').map(({ part }) => part.sql(columns)),
    partsOf('actionGranted').map(({ part }) => part(columns.action)),
    partsOf('reasons').map(({ part }) => part(columns)),
    partsOf('resources').map(({ part }) => part(values)),
    partsOf('folders').map(({ part }) => part.from(values)),
    partsOf('subjects').map(({ part }) => part({ ...values, ...columns.search })),
    partsOf('conditions').map(({ part }) => [part.exists(columns), part.isGrantee(columns)]),
  ])
  const read = [...sql.matchAll(/\b(?:from|join) ([a-z_]+)/g)].map(([, name = '']) => name)
  // `custom_roles` only has names; the others of these are defined by the statements.
  const derived = ['chain', 'subject', 'custom_roles', 'lateral']
  const named = read.map((name) => (name === 'live_members' ? 'members' : name))
  const tables = [...new Set(named)].filter((name) => !derived.includes(name))
  t.true(tables.length >= 7)
  t.deepEqual(
    tables.filter((name) => !recorded.includes(name)),
    [],
  )
  for (const { rule, part } of partsOf('changeRecords'))
    for (const table of part) t.true(recorded.includes(table), `${rule}: ${table}`)
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

const columns = {
  subject: reasonSubjectColumns,
  row: resourceColumns('r'),
  chain: chainColumns,
  asked: askedColumns,
  share: shareColumns,
  lookup: 'groupSet' as const,
  action: { actionId: '$1', userId: '$2', workspaceId: '$3' },
  search: { chain: chainColumns, service: '$1', after: '$4', actionKind: '$6' },
}
