import test from 'ava'
import { readRegistry } from '../../src/rpc/descriptors.ts'
import { readForeignMethods, readMethods, readStreams, readWatches } from '../../src/rpc/method.ts'
import { joinServices } from '../../src/server/feature.ts'
import { createHandlers } from '../../src/server/handlers.ts'

test('features bring a handler of every declared method, and of no other', (t) => {
  const registry = readRegistry()
  const declared = [readMethods, readStreams, readWatches, readForeignMethods]
    .flatMap((read) => read(registry))
    .map(({ service, key }) => `${service} ${key}`)
  const handlers = createHandlers({ database: {}, services: { engine: {} }, settings: {} } as never)
  const brought = Object.entries(handlers).flatMap(([service, methods]) =>
    Object.keys(methods).map((key) => `${service} ${key}`),
  )
  const absentFrom = (list: string[]) => (name: string) => !list.includes(name)
  t.true(declared.length > 200)
  t.deepEqual(declared.filter(absentFrom(brought)), [])
  t.deepEqual(brought.filter(absentFrom(declared)), [])
})

test('two features cannot bring the same method', (t) => {
  const [one, other] = [{ AService: { a: 1 } }, { AService: { b: 2 }, BService: { a: 3 } }]
  t.deepEqual(joinServices([one, other]), { AService: { a: 1, b: 2 }, BService: { a: 3 } })
  t.throws(() => joinServices([one, { AService: { a: 2 } }]), {
    message: 'two features declare a',
  })
})
