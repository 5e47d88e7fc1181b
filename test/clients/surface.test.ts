import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import { createFakeDaikon } from '../../clients/typescript/src/testing.ts'

const clients = join(import.meta.dirname, '../../clients')
const read = (name: string) => readFileSync(join(clients, name), 'utf8')

/** The names of the operations in each language, from the table in clients/README.md. */
const rows = [
  ...read('README.md').matchAll(/^\| `(\w+)` \| `(\w+)` \| `(\w+)` \| `(\w+)` \|/gm),
].map(([, typescript = '', python = '', go = '', java = '']) => ({ typescript, python, go, java }))

test('docs/batched-checks.md names tests that exist', (t) => {
  const page = readFileSync(join(clients, '../docs/batched-checks.md'), 'utf8')
  const tests = [
    readFileSync(join(import.meta.dirname, 'batching.test.ts'), 'utf8'),
    read('python/tests/test_batching.py'),
    read('go/daikon/batcher_test.go'),
  ]
  const named = [...page.matchAll(/^\| [^|`]+ \| `(.*)` \| `(\w+)` \| `(\w+)` \|$/gm)]
  t.is(named.length, 7)
  for (const [, ...names] of named)
    for (const [index, name] of names.entries()) t.true(tests[index]?.includes(name), name)
})

/** What is not an operation, or belongs to some of the languages. */
const controls = {
  typescript: ['close', 'token', 'revokeToken', 'failWith', 'delay', 'recover'],
  python: ['call', 'close', 'exchange'],
  go: ['Conn', 'Close'],
  java: ['checkAsync', 'close'],
}

test('the table in clients/README.md names every operation of the TypeScript client', (t) => {
  const names = Object.keys(createFakeDaikon()).filter(
    (name) => !controls.typescript.includes(name),
  )
  // A fake has no activity log to watch.
  names.push('watch')
  t.deepEqual(rows.map(({ typescript }) => typescript).toSorted(), names.toSorted())
})

for (const [name, files] of [
  ['Client', ['_client.py', '_management.py']],
  ['AsyncClient', ['_async_client.py', '_async_management.py']],
] as const)
  test(`the table in clients/README.md names every operation of ${name} in Python`, (t) => {
    const source = files.map((file) => read(`python/src/daikon/${file}`)).join('')
    const methods = [...source.matchAll(/^ {4}(?:async )?def ([a-z]\w*)\(/gm)]
    const names = new Set(methods.map(([, name = '']) => name))
    for (const name of controls.python) names.delete(name)
    t.deepEqual(rows.map(({ python }) => python).toSorted(), [...names].toSorted())
  })

test('the table in clients/README.md names every operation of the Go client', (t) => {
  const files = ['client.go', 'resources.go', 'links.go', 'resource_types.go', 'watch.go']
  const source = files.map((file) => read(`go/daikon/${file}`)).join('')
  const methods = [...source.matchAll(/^func \(c \*Client\) ([A-Z]\w*)\(/gm)]
  const names = methods.map(([, name = '']) => name).filter((name) => !controls.go.includes(name))
  t.deepEqual(rows.map(({ go }) => go).toSorted(), names.toSorted())
})

test('the table in clients/README.md names every operation of the Java client', (t) => {
  const folder = 'java/src/main/java/io/github/daikonauth/client'
  const methods = [...read(`${folder}/Daikon.java`).matchAll(/^ {2}[A-Z\w<>]+ (\w+)\(/gim)]
  const names = methods.map(([, name = '']) => name).filter((name) => !controls.java.includes(name))
  // A fake has no activity log to watch.
  names.push('watch')
  t.deepEqual(rows.map(({ java }) => java).toSorted(), names.toSorted())
})
