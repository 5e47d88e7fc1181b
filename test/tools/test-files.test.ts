import { existsSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import {
  aloneTests,
  compareTests,
  extendedTests,
  listTests,
  sharingFolders,
  slowTests,
} from '../../tools/test-files.ts'

const root = join(import.meta.dirname, '../..')

test('every file and folder that the order or selection of tests names exists', (t) => {
  const named = [
    ...Object.keys({ ...extendedTests, ...aloneTests }),
    ...sharingFolders,
    ...slowTests,
  ]
  const missing = named.filter((path) => !existsSync(join(root, path)))
  t.deepEqual(missing, [])
})

test('npm test and the rest are all tests, and none is in both', (t) => {
  const all = listTests('all')
  t.true(all.length > 100)
  t.deepEqual([...listTests('core'), ...listTests('rest')].toSorted(), all.toSorted())
})

test('the slowest tests run first', (t) => {
  const files = ['test/api/check.test.ts', ...slowTests.toReversed()]
  t.deepEqual(files.toSorted(compareTests), [...slowTests, 'test/api/check.test.ts'])
})
