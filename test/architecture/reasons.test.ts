import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import type { ErrorReason } from '../../src/core/define-reasons.ts'
import { reasons } from '../../src/server/reasons.ts'

const root = join(import.meta.dirname, '../..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')
const list = (pattern: string) => globSync(pattern, { cwd: root }).toSorted()

const entries = Object.entries<ErrorReason>(reasons)
const names = new Set(entries.map(([, { name }]) => name))

const tables = list('src/*/reasons.ts').filter((path) => path !== 'src/server/reasons.ts')

test('every table is joined, and no two have the same reason', async (t) => {
  const keys = await Promise.all(
    tables.map(async (path) => Object.keys((await import(join(root, path))).reasons)),
  )
  t.deepEqual(keys.flat().toSorted(), entries.map(([key]) => key).toSorted())
})

test('a name has several codes only where an entry says so', (t) => {
  const own = entries.filter(([key, { name }]) => key === name)
  const others = entries.filter(([key, { name }]) => key !== name)
  t.deepEqual(others.map(([key, { name, code }]) => `${key}: ${name} ${code}`).toSorted(), [
    'COMPRESSION_UNSUPPORTED: ENCODING_UNSUPPORTED method_not_allowed',
    'OAUTH_INVALID_REQUEST: INVALID_REQUEST failed_precondition',
  ])
  for (const [, { name, code }] of others)
    t.true(own.some(([key, reason]) => key === name && reason.code !== code))
})

test('every reason is thrown', (t) => {
  const sources = list('src/**/*.ts').filter((path) => !path.startsWith('src/http/openapi/'))
  const text = sources
    .map(read)
    .join('\n')
    .replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '')
  const used = text.matchAll(/\b(?:reasons|\w+Reasons)\.([A-Z_]+)\b(?!\.name)/g)
  const unused = new Set(entries.map(([key]) => key))
  for (const [, key = ''] of used) unused.delete(key)
  t.deepEqual([...unused], [])
})

test('only the client of another server makes errors of reasons that are in no table', (t) => {
  const users = list('src/**/*.ts').filter((path) => read(path).includes('receivedReason('))
  t.deepEqual(users, ['src/cli/remote-admin-api.ts', 'src/core/define-reasons.ts'])
})

test('docs/api.md lists exactly the reasons, with their codes', (t) => {
  const [, section = ''] =
    /<!-- generated: error reasons -->([\s\S]*?)<!-- end -->/.exec(read('docs/api.md')) ?? []
  const rows = [...section.matchAll(/^\| `(\w+)` \| `(\w+)` \|/gm)]
  t.deepEqual(
    rows.map(([, name, code]) => `${name} ${code}`).toSorted(),
    entries.map(([, { name, code }]) => `${name} ${code}`).toSorted(),
  )
})

test('the formats of OAuth and SCIM name reasons of the tables', (t) => {
  for (const path of ['src/http/oauth-error.ts', 'src/scim/rest-format.ts']) {
    const keys = [...read(path).matchAll(/^ {2}([A-Z_]+): '/gm)].map(([, key = '']) => key)
    t.true(keys.length > 5, path)
    t.deepEqual(
      keys.filter((key) => !names.has(key)),
      [],
      path,
    )
  }
})

/** Reasons that clients give to errors of their own; those of a browser are about its sign-in. */
const ofClients = [
  'ACTION_DENIED',
  'CONDITION_WITHOUT_FUNCTION',
  'COPY_INCOMPLETE',
  'DEADLINE_EXCEEDED',
  'HISTORY_CHANGED',
  'INSUFFICIENT_USER_AUTHENTICATION',
  'STREAM_ENDED',
  'TLS_FAILED',
  'UNEXPECTED_RESPONSE',
  'WEBHOOK_INVALID',
]

test('clients name reasons of the tables or their own', (t) => {
  const sources = [
    ...list('clients/typescript/src/**/*.ts'),
    ...list('clients/go/daikon{,http,test}/*.go'),
    ...list('clients/python/src/**/*.py'),
    ...list('clients/java/src/main/**/*.java'),
    ...list('clients/terraform-provider-daikon/internal/**/*.go'),
  ].filter((path) => !/_test\.go$|\/gen\//.test(path))
  const codes = new Set(entries.map(([, { code }]) => code.toUpperCase()))
  const unknown = sources.flatMap((path) => {
    const words = [
      ...read(path).matchAll(
        /"([A-Z]+(?:_[A-Z]+)+)"|'([A-Z]+(?:_[A-Z]+)+)'|^ +([A-Z]+(?:_[A-Z]+)+): /gm,
      ),
    ]
    return words
      .map(([, double, single, key]) => double ?? single ?? key ?? '')
      .filter((word) => !names.has(word) && !codes.has(word) && !ofClients.includes(word))
      .filter((word) => !word.startsWith('DAIKON_'))
      .map((word) => `${path}: ${word}`)
  })
  t.true(sources.length > 50)
  t.deepEqual(unknown, [])
  const { cases } = JSON.parse(read('clients/cases.json'))
  const failures: { reason?: string }[] = cases.flatMap(
    ({ fails }: { fails?: object }) => fails ?? [],
  )
  const reported = failures.flatMap(({ reason }) => reason ?? [])
  t.true(reported.length > 20)
  t.deepEqual(
    reported.filter((reason) => !names.has(reason) && !ofClients.includes(reason)),
    [],
  )
})
