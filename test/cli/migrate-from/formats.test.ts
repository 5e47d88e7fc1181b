import test from 'ava'
import { parseOpenFga } from '../../../src/cli/migrate-from/openfga.ts'
import { isBackup, parseSpiceDb } from '../../../src/cli/migrate-from/spicedb.ts'
import type { ParsedTuples } from '../../../src/cli/migrate-from/tuple.ts'

/** Writes each tuple and each problem as a line of text. */
function describe({ tuples, problems }: ParsedTuples): string[] {
  const describeTuple = ({ place, object, relation, subject, ...traits }: (typeof tuples)[0]) => {
    const userset = subject.relation === undefined ? '' : `#${subject.relation}`
    const { condition, expiresAt } = traits
    const context = condition && ` if ${condition.name} ${JSON.stringify(condition.context)}`
    const text = `${object.type}:${object.id} ${relation} ${subject.type}:${subject.id}${userset}`
    const end = expiresAt === undefined ? '' : ` until ${expiresAt}`
    return `${place.line}:${place.column} ${text}${context ?? ''}${end}`
  }
  return [
    ...tuples.map(describeTuple),
    ...problems.map(({ place, message }) => `${place.line}:${place.column} ${message}`),
  ]
}

const key = (user: string, relation: string, object: string, more: object = {}) => ({
  user,
  relation,
  object,
  ...more,
})

const openFgaFiles: [name: string, text: string, expected: string[]][] = [
  [
    'tuples.json',
    JSON.stringify(
      {
        name: '"tuples": [1] {',
        continuation_token: { tuples: ['{"'] },
        tuples: [
          { key: key('user:ann', 'viewer', 'doc:1'), timestamp: '2024-01-02T03:04:05Z' },
          { key: key('group:eng#member', 'editor', 'doc:a:b') },
        ],
        kind: 'tuples',
      },
      undefined,
      2,
    ),
    ['9:5 doc:1 viewer user:ann', '17:5 doc:a:b editor group:eng#member'],
  ],
  [
    'simple.json',
    JSON.stringify([
      key('user:*', 'viewer', 'doc:1'),
      key('user:ann@example.com', 'viewer', 'doc:"]', {
        condition: { name: 'small', context: { limit: 5, text: '}]' } },
      }),
    ]),
    [
      '1:2 doc:1 viewer user:*',
      '1:57 doc:"] viewer user:ann@example.com if small {"limit":5,"text":"}]"}',
    ],
  ],
  [
    'tuples.jsonl',
    '{"user": "user:ann", "relation": "viewer", "object": "doc:1"}\n\n  {"key": {"user": "user:bob", "relation": "viewer", "object": "doc:1", "condition": {"name": "small"}}}\n{"user"\n',
    ['1:1 doc:1 viewer user:ann', '3:3 doc:1 viewer user:bob if small {}', '4:8 is not valid JSON'],
  ],
  [
    'store.fga.yaml',
    'name: Docs\nmodel: |\n  type user\ntuples:\n  - user: user:ann\n    relation: viewer\n    object: doc:1\n  - {user: "team:eng#member", relation: editor, object: "doc:2", condition: {name: small, context: {limit: 5}}}\ntests: []\n',
    ['5:5 doc:1 viewer user:ann', '8:5 doc:2 editor team:eng#member if small {"limit":5}'],
  ],
  [
    'invalid.json',
    JSON.stringify([
      'x',
      key('ann', 'viewer', 'doc:1'),
      key('user:ann', '', 'doc:1'),
      key('user:ann', 'viewer', 'doc'),
      key('user:ann', 'viewer', 'doc:1', { condition: {} }),
      key('group:eng#', 'viewer', 'doc:1'),
      key('user:ann', 'viewer', 'doc:1', { condition: { name: 'small', context: 5 } }),
    ]),
    [
      '1:2 must be an object with user, relation and object',
      '1:6 user must have the form type:id, type:* or type:id#relation',
      '1:58 relation is required',
      '1:109 object must have the form type:id',
      '1:164 condition must have a name',
      '1:236 user must have the form type:id, type:* or type:id#relation',
      '1:295 the context of the condition must be an object',
    ],
  ],
  ['cut.json', '{\n  "tuples": [\n', ['3:1 is not valid JSON']],
  [
    'empty.json',
    '{"tuples": 5}',
    ['1:1 has no list of tuples; export them with `fga tuple read --max-pages 0`'],
  ],
  [
    'file.yaml',
    'tuple_file: tuples.json\n',
    ['1:1 has no list of tuples; export them with `fga tuple read --max-pages 0`'],
  ],
  ['broken.yml', 'tuples:\n  - user: "x\n', ['3:1 Missing closing "quote']],
]

for (const [name, text, expected] of openFgaFiles) {
  test(`OpenFGA: ${name}`, (t) => {
    t.deepEqual(describe(parseOpenFga(name, text)), expected)
  })
}

test('OpenFGA: other files are rejected', (t) => {
  const message = 'The name of the export must end with .json, .jsonl or .yaml'
  t.throws(() => parseOpenFga('tuples.csv', ''), { message })
})

const relationships: [text: string, expected: string][] = [
  ['doc:1#viewer@user:ann', '1:1 doc:1 viewer user:ann'],
  ['  doc:1#viewer@user:ann  ', '1:3 doc:1 viewer user:ann'],
  ['doc:1 viewer group:eng#member', '1:1 doc:1 viewer group:eng#member'],
  ['doc:1 parent doc:2#...', '1:1 doc:1 parent doc:2'],
  ['acme/doc:a/b|c=+-_#viewer@user:*', '1:1 acme/doc:a/b|c=+-_ viewer user:*'],
  ['doc:1#viewer@user:ann[small]', '1:1 doc:1 viewer user:ann if small {}'],
  [
    'doc:1#viewer@user:ann[small:{"a":"]}\\"","b":{"c":[1]}}]',
    '1:1 doc:1 viewer user:ann if small {"a":"]}\\"","b":{"c":[1]}}',
  ],
  [
    'doc:1 viewer user:ann[small:{}][expiration:2030-01-31T12:00:00.123456789Z]',
    '1:1 doc:1 viewer user:ann if small {} until 2030-01-31T12:00:00.123Z',
  ],
  ['// a comment', ''],
  ['', ''],
  ['#viewer@user:ann', '1:1 expected the type of the resource'],
  ['doc#viewer@user:ann', '1:4 expected ":"'],
  ['doc:*#viewer@user:ann', '1:5 expected the ID of the resource'],
  ['doc:1@user:ann', '1:6 expected "#"'],
  ['doc:1#Viewer@user:ann', '1:7 expected a relation'],
  ['doc:1#viewer', '1:13 expected "@"'],
  ['doc:1#viewer@:ann', '1:14 expected the type of the subject'],
  ['doc:1#viewer@user:', '1:19 expected the ID of the subject'],
  ['doc:1#viewer@group:eng#', '1:24 expected a relation'],
  ['doc:1#viewer@user:ann@example.com', '1:22 expected the end of the line'],
  ['doc:1#viewer@user:ann[]', '1:23 expected the name of a caveat, or "expiration"'],
  ['doc:1#viewer@user:ann[small:{"a":1]', '1:29 expected a JSON object'],
  ['doc:1#viewer@user:ann[small:[1]]', '1:29 expected a JSON object'],
  ['doc:1#viewer@user:ann[small', '1:28 expected "]"'],
  [
    'doc:1#viewer@user:ann[expiration:tomorrow]',
    '1:34 expected a time such as 2030-01-31T12:00:00Z',
  ],
]

for (const [text, expected] of relationships) {
  test(`SpiceDB: ${JSON.stringify(text)}`, (t) => {
    t.deepEqual(describe(parseSpiceDb('relationships.txt', text)), expected ? [expected] : [])
  })
}

test('SpiceDB: the relationships of a validation file', (t) => {
  const text = [
    'schema: |-',
    '  definition user {}',
    'relationships: |',
    '',
    '  // Documents',
    '  doc:1#viewer@user:ann',
    '    doc:1#viewer',
    '  doc:2#viewer@user:ann',
    '',
    'assertions:',
    '  assertTrue: []',
    '',
  ]
  for (const end of ['\n', '\r\n'])
    t.deepEqual(describe(parseSpiceDb('validation.yaml', text.join(end))), [
      '6:3 doc:1 viewer user:ann',
      '8:3 doc:2 viewer user:ann',
      '7:17 expected "@"',
    ])
})

test('SpiceDB: a validation file without a block of relationships, or that is not YAML', (t) => {
  const message = 'has no relationships, one a line in a block that begins with "relationships: |"'
  const parse = (text: string) => describe(parseSpiceDb('validation.yml', text))
  t.deepEqual(parse('schema: x\n'), [`1:1 ${message}`])
  t.deepEqual(parse('- 1\n'), [`1:1 ${message}`])
  t.deepEqual(parse('schema: x\nrelationships: "a:b#c@d:e"\n'), [`2:16 ${message}`])
  t.regex(parse('schema: [\n').join('\n'), /^2:1 /)
})

test('SpiceDB: a binary backup is recognized', (t) => {
  t.true(isBackup(Buffer.from('Obj\u0001\u0004')))
  t.false(isBackup(Buffer.from('object:1#viewer@user:ann')))
})
