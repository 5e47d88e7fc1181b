import test from 'ava'
import fc from 'fast-check'
import {
  type Change,
  createChangeVersions,
} from '../../src/permissions/engine/memory/change-versions.ts'
import { createMemory } from '../../src/permissions/engine/memory/memory.ts'

const ids = ['a', 'b', 'c']
const id = fc.constantFrom(...ids)
const change = fc.tuple(fc.option(id), fc.option(id)) as fc.Arbitrary<Change>
const history = fc.array(fc.array(change, { maxLength: 3 }), { maxLength: 12 })

/** Whether a change can affect a value that depends on the workspace and the item. */
const affects = ([workspaceId, itemId]: Change, workspace: string, item: string) =>
  (workspaceId === null || workspaceId === workspace || itemId === item) &&
  (itemId === null || itemId === item)

test('a value counts as unchanged if no later change affects it', (t) => {
  fc.assert(
    fc.property(history, fc.nat(12), id, id, (batches, seen, workspaceId, itemId) => {
      const versions = createChangeVersions()
      const before = batches.slice(0, seen)
      const after = batches.slice(seen)
      for (const changes of before) versions.apply(changes)
      const version = versions.current()
      for (const changes of after) versions.apply(changes)
      const dependencies = { workspaceId, itemIds: [undefined, itemId] }
      const isAffected = after.flat().some((change) => affects(change, workspaceId, itemId))
      t.is(versions.isUnchanged(version, dependencies), !isAffected)
    }),
  )
})

test('every value counts as changed once the number of remembered changes exceeds the maximum', (t) => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 10 }), (maxEntries) => {
      const versions = createChangeVersions(maxEntries)
      const unrelated = { workspaceId: 'workspace', itemIds: ['item'] }
      for (let index = 0; index < maxEntries; index += 1) {
        versions.apply([['other', `item ${index}`]])
        t.true(versions.isUnchanged(0, unrelated))
      }
      versions.apply([['other', 'one too many']])
      t.false(versions.isUnchanged(0, unrelated))
      t.true(versions.isUnchanged(versions.current(), unrelated))
    }),
  )
})

test('the memory takes at most its bytes, and values count by their length', (t) => {
  // An entry with a key of 10 characters and a value of 15 takes 300 bytes.
  const memory = createMemory<{ text: string }>(5 * 300, ({ text }) => text.length)
  const keys = Array.from({ length: 8 }, (_, index) => `entry ${index}`.padEnd(10))
  for (const key of keys) {
    memory.set(key, { text: 'x'.repeat(15) })
    t.truthy(memory.get(keys[0] ?? ''), 'an entry that is used stays')
  }
  const present = keys.filter((key) => memory.get(key) !== undefined)
  t.deepEqual(
    present,
    [0, 4, 5, 6, 7].map((index) => keys[index]),
  )
})
