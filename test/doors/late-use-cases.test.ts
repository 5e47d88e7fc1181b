import test from 'ava'
import { decisions } from '../../src/decisions.ts'
import type { Context, UseCase } from '../../src/rpc/call.ts'
import { readRegistry } from '../../src/rpc/method.ts'
import { createOperations, type UseCaseTable } from '../../src/rpc/operation.ts'
import { useCases } from '../../src/use-cases.ts'

const registry = readRegistry()
const table = { PermissionService: decisions } as unknown as UseCaseTable

/** GetMe over what there is to read beside the decisions. */
function findGetMe(read: UseCaseTable, onRead = () => {}) {
  const load = async () => {
    onRead()
    return read
  }
  const operations = createOperations(registry, table, load)
  const getMe = operations.find(({ key }) => key === 'getMe')
  return () => getMe?.useCase({} as Context, {})
}

test('a use case that is not there is read at its first call, and does what it does', async (t) => {
  let read = 0
  const useCase = async () => ({ name: 'Ann' })
  const getMe = findGetMe({ UserService: { getMe: useCase } }, () => {
    read += 1
  })
  t.is(read, 0)
  for (const _ of [1, 2]) t.deepEqual(await getMe(), { name: 'Ann' })
  t.is(read, 1)
})

test('what nobody wrote, and a decision that was never asked, fail instead of answering', async (t) => {
  const none = findGetMe({})
  await t.throwsAsync(async () => none(), { message: /GetMe has no use case/ })
  const decision = Object.assign(async () => ({}), { asks: () => [] })
  const late = findGetMe({ UserService: { getMe: decision } })
  await t.throwsAsync(async () => late(), { message: /GetMe is a decision/ })
})

test('every method has its use case where there is no more to read, or there is no server', (t) => {
  t.throws(() => createOperations(registry, table), { message: /has no use case/ })
  t.notThrows(() => createOperations(registry, useCases as unknown as UseCaseTable))
})

test('every use case with asks is among the decisions', (t) => {
  const all = Object.values(useCases).flatMap((service): unknown[] => Object.values(service))
  const deciding = all.filter((useCase) => (useCase as UseCase<never, object>).asks)
  t.deepEqual(new Set(deciding), new Set<unknown>(Object.values(decisions)))
})
