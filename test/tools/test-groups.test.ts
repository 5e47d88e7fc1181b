import test from 'ava'
import { isAlone, listTests } from '../../tools/test-files.ts'
import {
  encodeGroups,
  groupTests,
  readGroups,
  withFile,
  withoutGroup,
} from '../../tools/test-groups.ts'

const file = (url: string) => url.slice(url.indexOf('/test/') + 1)

test('each file is in one group, with others of its folder', (t) => {
  const files = listTests('all')
  const groups = groupTests(files)
  t.deepEqual(groups.flat().toSorted(), files.toSorted())
  t.true(groups.some(({ length }) => length > 1))
  for (const group of groups)
    t.is(new Set(group.map((path) => path.replace(/[^/]*$/, ''))).size, 1, group.join())
})

test('what takes long, or changes or measures the process, is alone', (t) => {
  const groups = groupTests(listTests('all'))
  t.deepEqual(
    groups.filter((group) => group.length > 1 && group.some(isAlone)),
    [],
  )
})

test('a thread finds the files of its group by the first one', (t) => {
  const groups = [['test/a/b.test.ts', 'test/a/c.test.ts'], ['test/d.test.ts']]
  const read = [...readGroups(encodeGroups(groups))]
  t.deepEqual(
    read.map(([first, urls]) => [file(first), urls.map(file)]),
    [['test/a/b.test.ts', ['test/a/b.test.ts', 'test/a/c.test.ts']]],
  )
})

test('a line of output names the file of its test', (t) => {
  const [, url = ''] = [
    ...readGroups(encodeGroups([['test/a/b.test.ts', 'test/a/c.test.ts']])),
  ].flatMap(([, urls]) => urls)
  const title = withFile(url, 'returns 404')
  t.is(withoutGroup(`not ok 7 - a › b › ${title}`), 'not ok 7 - a › c › returns 404')
  t.is(withoutGroup(`# a › b › ${title}`), '# a › c › returns 404')
  t.is(withoutGroup('ok 8 - a › b › returns 200'), 'ok 8 - a › b › returns 200')
})
