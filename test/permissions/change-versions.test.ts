import test from 'ava'
import fc from 'fast-check'
import { type Change, createChangeVersions } from '../../src/permissions/cache/change-versions.ts'
import { createRecentMap } from '../../src/permissions/cache/recent-map.ts'

const ids = ['a', 'b', 'c']
const id = fc.constantFrom(...ids)
const change = fc.tuple(fc.option(id), fc.option(id)) as fc.Arbitrary<Change>
const history = fc.array(fc.array(change, { maxLength: 3 }), { maxLength: 12 })

/** Whether the change can affect a value that depends on the workspace and the item. */
const affects = ([workspaceId, itemId]: Change, workspace: string, item: string) =>
  (workspaceId === null || workspaceId === workspace || itemId === item) &&
  (itemId === null || itemId === item)

test('a value is unchanged if no later change affects it', (t) => {
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

test('everything is changed once more changes are remembered than allowed', (t) => {
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

test('a recent map is bounded, returns what was set last, and keeps what was used last', (t) => {
  const step = fc.record({ key: fc.nat(20), isSet: fc.boolean() })
  fc.assert(
    fc.property(
      fc.array(step, { maxLength: 200 }),
      fc.integer({ min: 2, max: 5 }),
      (steps, half) => {
        // An entry with a key of 25 characters takes 300 bytes.
        const map = createRecentMap<number>(2 * half * 300)
        const last = new Map<string, number>()
        for (const [index, { key, isSet }] of steps.entries()) {
          const name = String(key).padStart(25)
          const found = map.get(name)
          t.true(found === undefined || found === last.get(name))
          if ([...last.keys()].slice(1 - half).includes(name)) t.not(found, undefined)
          if (isSet) map.set(name, index)
          const value = isSet ? index : found
          last.delete(name)
          if (value !== undefined) last.set(name, value)
          t.true([...last.keys()].filter((name) => map.get(name) !== undefined).length <= 2 * half)
        }
      },
    ),
  )
})
