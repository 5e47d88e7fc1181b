import test from 'ava'
import fc from 'fast-check'
import { type Change, createChangeVersions } from '../../src/permissions/cache/change-versions.ts'
import { createRecentMap } from '../../src/permissions/cache/recent-map.ts'

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

test('a recent map is bounded and returns the value that was set last', (t) => {
  const step = fc.record({ key: fc.nat(12), isSet: fc.boolean() })
  fc.assert(
    fc.property(
      fc.array(step, { maxLength: 200 }),
      fc.integer({ min: 1, max: 5 }),
      (steps, half) => {
        // An entry with a key of 25 characters takes 300 bytes.
        const map = createRecentMap<number>(2 * half * 300)
        const values = new Map<string, number>()
        for (const [index, { key, isSet }] of steps.entries()) {
          const name = String(key).padStart(25)
          const found = map.get(name)
          t.true(found === undefined || found === values.get(name))
          if (isSet) {
            map.set(name, index)
            values.set(name, index)
          }
        }
        const present = [...values.keys()].filter((name) => map.get(name) !== undefined)
        t.true(present.length <= 2 * half)
      },
    ),
  )
})

test('a recent map keeps an entry that is used often', (t) => {
  const map = createRecentMap<string>(10_000)
  map.set('used', 'value')
  for (let index = 0; index < 1000; index += 1) {
    map.set(`entry ${index}`, 'value')
    t.is(map.get('used'), 'value')
  }
  t.is(map.get('entry 0'), undefined)
  t.is(map.get('entry 999'), 'value')
})
