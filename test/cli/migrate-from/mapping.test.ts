import test from 'ava'
import { mapTuples } from '../../../src/cli/migrate-from/map-tuples.ts'
import { parseMapping } from '../../../src/cli/migrate-from/mapping.ts'
import type { Plan, Row } from '../../../src/cli/migrate-from/plan.ts'
import { parseSpiceDb } from '../../../src/cli/migrate-from/spicedb.ts'
import type { Problem } from '../../../src/cli/migrate-from/tuple.ts'

const now = new Date('2026-01-31T12:00:00Z')

const mapping = `
users: {user: external_id, person: email, account: emails}
emails: {"17": seventeen@example.com}
workspaces:
  org:
    roles: {owner: owner, admin: admin, member: viewer}
    everyone: member
    slugs: {Beta_Inc: beta}
groups:
  team: {workspace: org, members: [member, lead]}
  club: {workspace_slug: acme, members: [member]}
resources:
  doc:
    service: docs
    type: document
    workspace: org
    owner: owner
    parent: parent
    shares: {writer: edit, reader: view, reviewer: reviewer, owner: edit}
    conditions: {small_amount: small}
    wildcard: public
  sheet: {service: docs, workspace_slug: acme, owner: owner, default_owner: "user:root", parent: parent, shares: {reader: view}}
  page: {service: wiki, workspace: org, owner: owner, parent: parent, shares: {reader: view}}
`

function plan(...lines: string[]): Plan {
  const { mapping: parsed, problems } = parseMapping(mapping)
  if (!parsed) throw new Error(JSON.stringify(problems))
  const { tuples, problems: inLines } = parseSpiceDb('relationships.txt', lines.join('\n'))
  if (inLines.length > 0) throw new Error(JSON.stringify(inLines))
  return mapTuples(tuples, parsed, now)
}

const fields = (rows: Row[]) => rows.map((row) => row.fields)
const describeProblems = (problems: Problem[]) =>
  problems.map(({ place, message }) => `${place.line}:${place.column} ${message}`)

/** What the last tuple becomes, or why it is not mapped. */
function outcomeOf(...lines: string[]): string {
  const { summary } = plan(...lines)
  const row = summary.find((item) => item.lines.includes(lines.length))
  return `${row?.isMapped ? '' : 'not mapped: '}${row?.text}`
}

/** A document in the workspace acme. */
const doc = ['doc:1#org@org:acme', 'doc:1#owner@user:ann']

const outcomes: [lines: string[], expected: string][] = [
  [['org:acme#admin@user:ann'], 'role admin in the workspace'],
  [['org:acme#billing@user:ann'], 'not mapped: the relation is not in the mapping'],
  [['org:acme#admin@team:eng#member'], 'not mapped: only users can have roles in a workspace'],
  [['org:acme#member@user:*'], 'not mapped: only users can have roles in a workspace'],
  [
    ['org:acme#admin@user:ann[expiration:2030-01-01T00:00:00Z]'],
    'not mapped: only shares can have a condition or an expiration',
  ],
  [['org:acme#admin@user:ann[expiration:2020-01-01T00:00:00Z]'], 'nothing, because it has expired'],
  [
    ['org:acme#admin@user:00000000-0000-4000-8000-000000000000'],
    'not mapped: a UUID or e-mail address cannot be an external ID',
  ],
  [['org:acme#admin@person:ann'], 'not mapped: the ID of the user is not an e-mail address'],
  [['org:acme#admin@account:17'], 'role admin in the workspace'],
  [['org:acme#admin@account:18'], 'not mapped: the mapping has no e-mail address of the user'],
  [['team:eng#org@org:acme'], 'workspace of the group'],
  [
    ['team:eng#org@org:acme', 'team:eng#org@org:beta'],
    'not mapped: the group is in another workspace',
  ],
  [['team:eng#org@org:acme', 'team:eng#lead@user:ann'], 'member of the group'],
  [
    ['team:eng#org@org:acme', 'team:ops#org@org:acme', 'team:eng#member@team:ops#lead'],
    'group in the group',
  ],
  [
    ['team:eng#org@org:acme', 'team:ops#org@org:beta', 'team:eng#member@team:ops#member'],
    'not mapped: the groups are in different workspaces',
  ],
  [
    ['team:eng#org@org:acme', 'team:eng#member@user:*'],
    'not mapped: only users and groups can be in a group',
  ],
  [
    ['team:eng#org@org:acme', 'team:eng#member@user:ann[small_amount]'],
    'not mapped: only shares can have a condition or an expiration',
  ],
  [doc, 'owner of the resource'],
  [[...doc, 'doc:1#org@org:beta'], 'not mapped: the resource is in another workspace'],
  [[...doc, 'doc:1#owner@user:bob'], 'share with edit'],
  [
    ['sheet:1#owner@user:ann', 'sheet:1#owner@user:bob'],
    'not mapped: the resource has another owner',
  ],
  [[...doc, 'doc:1#owner@club:chess#member'], 'share with edit'],
  [['sheet:1#owner@team:eng#member'], 'not mapped: the relation cannot have this subject'],
  [[...doc, 'doc:1#parent@sheet:1'], 'parent of the resource'],
  [
    [...doc, 'doc:1#parent@doc:2', 'doc:1#parent@doc:3'],
    'not mapped: the resource has another parent',
  ],
  [[...doc, 'doc:1#parent@page:1'], 'not mapped: the parent is of another service'],
  [[...doc, 'doc:1#parent@user:ann'], 'not mapped: the relation cannot have this subject'],
  [[...doc, 'doc:1#reader@user:bob'], 'share with view'],
  [[...doc, 'team:eng#org@org:acme', 'doc:1#reviewer@team:eng#lead'], 'share with reviewer'],
  [
    [...doc, 'doc:1#reviewer@team:eng#lead'],
    'not mapped: the group is not known to be in the workspace of the resource',
  ],
  [
    [...doc, 'team:eng#org@org:beta', 'doc:1#reviewer@team:eng#lead'],
    'not mapped: the group is not known to be in the workspace of the resource',
  ],
  [[...doc, 'doc:1#reader@user:bob[small_amount:{"limit":5}]'], 'share with view if small'],
  [
    [...doc, 'doc:1#reader@user:bob[night]'],
    'not mapped: the mapping does not name the condition night',
  ],
  [
    [...doc, 'doc:1#reader@team:eng#owner'],
    'not mapped: the subject is neither a user nor a group',
  ],
  [[...doc, 'doc:1#reader@doc:2'], 'not mapped: the subject is neither a user nor a group'],
  [[...doc, 'doc:1#reader@user:*'], 'visibility public'],
  [
    [...doc, 'doc:1#reader@user:*[small_amount]'],
    'not mapped: a visibility has no condition and no expiration',
  ],
  [[...doc, 'doc:1#writer@user:*'], 'not mapped: everybody can have view, but not edit'],
  [['sheet:1#owner@user:ann', 'sheet:1#reader@user:*'], 'not mapped: the mapping has no wildcard'],
  [[...doc, 'doc:1#reader@org:acme#member'], 'visibility workspace'],
  [[...doc, 'doc:1#reader@org:beta#member'], 'not mapped: the subject is another workspace'],
  [
    [...doc, 'doc:1#reader@org:acme#admin'],
    'not mapped: of workspaces, only the relation in everyone can be a grantee',
  ],
  [['doc:1#reader@user:bob', 'doc:1#reader@user:bob[small_amount]'], 'share with view if small'],
  [
    ['doc:1#reader@user:bob', 'doc:1#reviewer@user:bob'],
    'not mapped: the resource is shared with the grantee in another way',
  ],
  [
    ['doc:1#reader@user:bob', 'doc:1#writer@user:bob[small_amount]'],
    'not mapped: the resource is shared with the grantee in another way',
  ],
  [['car:1#driver@user:ann'], 'not mapped: the mapping does not name the type car'],
  [['constructor:1#driver@user:ann'], 'not mapped: the mapping does not name the type constructor'],
]

for (const [lines, expected] of outcomes) {
  test(`${lines.join(', ')}: ${expected}`, (t) => t.is(outcomeOf(...lines), expected))
}

test('a member has the highest of several roles, and all groups', (t) => {
  const { members, groups } = plan(
    'org:Beta_Inc#member@user:ann',
    'org:Beta_Inc#admin@user:ann',
    'team:eng#org@org:Beta_Inc',
    'team:eng#member@user:ann',
    'team:ops#member@team:eng#member',
    'team:ops#org@org:Beta_Inc',
    'club:chess#member@account:17',
  )
  t.deepEqual(
    members.map(({ place, ...member }) => member),
    [
      { user: { external_id: 'ann' }, workspace: 'beta', role: 'admin', groups: ['eng'] },
      {
        user: { email: 'seventeen@example.com' },
        workspace: 'acme',
        role: undefined,
        groups: ['chess'],
      },
    ],
  )
  t.deepEqual(
    groups.map(({ name, workspace, children }) => [
      name,
      workspace,
      children.map((child) => child.name),
    ]),
    [
      ['eng', 'beta', []],
      ['ops', 'beta', ['eng']],
      ['chess', 'acme', []],
    ],
  )
})

test('resources and shares have the fields of the imports', (t) => {
  const { resources, shares, problems } = plan(
    'doc:2#parent@doc:1',
    'doc:2#owner@account:17',
    'doc:1#reader@org:acme#member',
    ...doc,
    'doc:00000000-0000-4000-8000-00000000000a#parent@doc:2',
    'doc:00000000-0000-4000-8000-00000000000a#owner@user:ann',
    'sheet:9#reader@club:eng#member',
    'doc:1#writer@user:bob',
    'doc:1#reader@user:bob',
    'doc:2#reviewer@account:17[expiration:2030-01-31T12:00:00Z]',
    'doc:2#reader@user:bob[small_amount:{"limit":5}]',
    'doc:2#reader@user:cem[small_amount:{"limit":5}]',
    'doc:2#writer@user:cem',
  )
  t.deepEqual(problems, [])
  const document = { service_name: 'docs', resource_type: 'document' }
  t.deepEqual(fields(resources), [
    {
      ...document,
      external_id: '2',
      workspace_slug: 'acme',
      owner_email: 'seventeen@example.com',
      parent: { resource_type: 'document', external_id: '1' },
    },
    {
      ...document,
      external_id: '1',
      workspace_slug: 'acme',
      owner_external_id: 'ann',
      visibility: 'workspace',
    },
    {
      ...document,
      resource_id: '00000000-0000-4000-8000-00000000000a',
      workspace_slug: 'acme',
      owner_external_id: 'ann',
      parent: { resource_type: 'document', external_id: '2' },
    },
    {
      service_name: 'docs',
      resource_type: 'sheet',
      external_id: '9',
      workspace_slug: 'acme',
      owner_external_id: 'root',
    },
  ])
  t.deepEqual(fields(shares), [
    {
      ...document,
      external_id: '2',
      grantee_email: 'seventeen@example.com',
      role: 'reviewer',
      expires_at: '2030-01-31T12:00:00.000Z',
    },
    {
      ...document,
      external_id: '2',
      grantee_external_id: 'bob',
      permission: 'view',
      condition: 'small',
      params: { limit: 5 },
    },
    { ...document, external_id: '2', grantee_external_id: 'cem', permission: 'edit' },
    { ...document, external_id: '1', grantee_external_id: 'bob', permission: 'edit' },
    {
      service_name: 'docs',
      resource_type: 'sheet',
      external_id: '9',
      group_name: 'eng',
      permission: 'view',
    },
  ])
  t.deepEqual(
    resources.map(({ place, places }) => [place.line, Object.fromEntries(places)]),
    [
      [1, { owner_email: { line: 2, column: 1 }, parent: { line: 1, column: 1 } }],
      [
        4,
        {
          workspace_slug: { line: 4, column: 1 },
          owner_external_id: { line: 5, column: 1 },
          visibility: { line: 3, column: 1 },
        },
      ],
      [6, { owner_external_id: { line: 7, column: 1 }, parent: { line: 6, column: 1 } }],
      [8, { owner_external_id: { line: 8, column: 1 } }],
    ],
  )
})

test('what is below a resource that cannot be created is left out with its shares', (t) => {
  const { resources, shares, orphans } = plan(
    ...doc,
    'doc:2#parent@doc:1',
    'doc:2#owner@user:ann',
    'doc:4#parent@doc:3',
    'doc:4#owner@user:ann',
    'doc:4#reader@user:bob',
    'doc:3#parent@doc:5',
    'doc:3#owner@user:ann',
    'doc:5#org@org:acme',
    'doc:1#reader@user:bob',
  )
  const ids = (rows: Row[]) => rows.map((row) => row.fields.external_id)
  t.deepEqual(ids(resources), ['1', '2'])
  t.deepEqual(ids(shares), ['1'])
  t.deepEqual(describeProblems(orphans), [
    '5:1 doc:4 is below doc:5, which is left out',
    '8:1 doc:3 is below doc:5, which is left out',
    '10:1 doc:5 has no owner',
  ])
})

test('resources without owner or workspace, and workspaces and groups that are not distinct, are reported', (t) => {
  const found = plan(
    'doc:1#reader@user:bob',
    'doc:2#owner@user:ann',
    'doc:3#parent@doc:4',
    'doc:4#parent@doc:3',
    'team:eng#member@user:ann',
    'team:eng#member@user:bob',
    'team:ops#org@org:acme',
    'club:ops#member@user:bob',
    'org:Beta_Inc#member@user:ann',
    'org:beta#member@user:ann',
  )
  t.deepEqual(describeProblems(found.orphans), [
    '1:1 doc:1 has no workspace and no owner',
    '2:1 doc:2 has no workspace',
    '3:1 doc:3 has no workspace and no owner',
    '4:1 doc:4 has no workspace and no owner',
    '5:1 team:eng has no workspace',
  ])
  t.deepEqual(describeProblems(found.problems), [
    '8:1 acme has two groups with the name ops',
    '10:1 org:beta is the same workspace as org:Beta_Inc: beta',
  ])
})

test('the summary counts tuples and names the first lines', (t) => {
  const { summary } = plan(
    ...doc,
    ...['a', 'b', 'c', 'd'].map((id) => `doc:1#reader@user:${id}`),
    'doc:1#reader@user:e[night]',
  )
  t.deepEqual(summary, [
    {
      relation: 'doc#org',
      subject: 'org',
      isMapped: true,
      text: 'workspace of the resource',
      count: 1,
      lines: [1],
      example: 'doc:1#org@org:acme',
    },
    {
      relation: 'doc#owner',
      subject: 'user',
      isMapped: true,
      text: 'owner of the resource',
      count: 1,
      lines: [2],
      example: 'doc:1#owner@user:ann',
    },
    {
      relation: 'doc#reader',
      subject: 'user',
      isMapped: true,
      text: 'share with view',
      count: 4,
      lines: [3, 4, 5],
      example: 'doc:1#reader@user:a',
    },
    {
      relation: 'doc#reader',
      subject: 'user with night',
      isMapped: false,
      text: 'the mapping does not name the condition night',
      count: 1,
      lines: [7],
      example: 'doc:1#reader@user:e',
    },
  ])
})

const invalid: [text: string, expected: string[]][] = [
  ['', ['1:1 must be object']],
  [
    'users: [',
    ['1:9 Flow sequence in block collection must be sufficiently indented and end with a ]'],
  ],
  [
    'users:\n  user: name\nresource: {}\n',
    ['3:1 unknown field resource', '2:3 users.user must be one of external_id, email, emails'],
  ],
  [
    '{"groups": {"team": {}},\n "resources": {"doc": {"owner": 5}}}',
    [
      '1:13 groups.team has no members',
      '2:16 resources.doc has no service',
      '2:24 resources.doc.owner must be string',
    ],
  ],
  [
    'groups: {team: {workspace: org, members: [a, 5]}}',
    ['1:46 groups.team.members.1 must be string'],
  ],
  [
    'workspaces: {org: {roles: {admin: boss}}}',
    ['1:28 workspaces.org.roles.admin must be one of viewer, editor, admin, owner'],
  ],
  [
    'users: {user: email}\ngroups: {user: {members: [member]}}\nresources:\n  doc: {service: docs, default_owner: "bot:1"}\n',
    [
      '2:10 user is also in users',
      '2:10 groups.user has neither workspace nor workspace_slug',
      '4:24 resources.doc.default_owner must be of a type in users',
    ],
  ],
]

for (const [text, expected] of invalid) {
  test(`an invalid mapping: ${JSON.stringify(text)}`, (t) => {
    const { mapping: parsed, problems } = parseMapping(text)
    t.is(parsed, undefined)
    t.deepEqual(
      problems.map(({ place, message }) => `${place.line}:${place.column} ${message}`),
      expected,
    )
  })
}
