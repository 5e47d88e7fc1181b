import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import test from 'ava'

const src = join(import.meta.dirname, '../../src')

test('src/README.md lists exactly the top-level folders and files of src', async (t) => {
  const readme = await readFile(join(src, 'README.md'), 'utf8')
  const firstCells = [...readme.matchAll(/^\| (`.*?) \| /gm)].map(([, cell = '']) => cell)
  const listed = firstCells.flatMap((cell) =>
    [...cell.matchAll(/`(.+?)`/g)].map(([, name]) => name),
  )
  const existing = (await readdir(src)).filter((name) => name !== 'README.md')
  t.deepEqual(listed.toSorted(), existing.toSorted())
})
