import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import test from 'ava'

const src = join(import.meta.dirname, '../../src')

test('src/README.md tells of every room, of every file beside them, and of nothing that is not there', async (t) => {
  const readme = await readFile(join(src, 'README.md'), 'utf8')
  const rows = [...readme.matchAll(/^\| (`.*?) \| /gm)].map(([, rooms = '']) => rooms)
  const told = rows.flatMap((rooms) => [...rooms.matchAll(/`(.+?)`/g)].map(([, name]) => name))
  const entries = await readdir(src, { withFileTypes: true })
  const rooms = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name)
  const files = entries.filter((entry) => entry.isFile()).map(({ name }) => name)
  const others = files.filter((name) => name !== 'README.md')
  t.deepEqual(
    [...rooms, ...others].filter((name) => !told.includes(name)),
    [],
  )
  t.deepEqual(
    told.filter((name) => !rooms.includes(name ?? '') && !others.includes(name ?? '')),
    [],
  )
})
