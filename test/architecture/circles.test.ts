import { globSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import { findCycles, readImports, readPythonImports } from '../support/imports.ts'

const root = join(import.meta.dirname, '../..')

for (const folder of [
  'src',
  'console/src',
  'clients/typescript/src',
  'clients/browser/src',
  'bench',
  'comparison',
  'examples',
  'test',
  'tools',
]) {
  test(`${folder} has no import cycles, not even of types`, (t) => {
    const files = globSync(`${folder}/**/*.{ts,tsx}`, { cwd: root })
    const imports = readImports(root, files)
    t.true(imports.some(({ to }) => files.includes(to)))
    t.deepEqual(findCycles(imports), [])
  })
}

test('the folders of the engine do not import each other in a circle', (t) => {
  const engine = 'src/permissions/engine'
  const files = globSync(`${engine}/**/*.ts`, { cwd: root })
  const roomOf = (path: string) => {
    const [folder = '', file] = path.slice(engine.length + 1).split('/')
    return file === undefined ? undefined : folder
  }
  const arrows = readImports(root, files).flatMap(({ from, to, typeOnly }) => {
    const [room, other] = [roomOf(from), files.includes(to) ? roomOf(to) : undefined]
    return room && other && room !== other ? [{ from: room, to: other, typeOnly }] : []
  })
  t.true(arrows.length > 20)
  t.deepEqual(findCycles(arrows), [])
})

test('the Python client has no import cycles, not even of types', (t) => {
  const folder = join(root, 'clients/python/src/daikon')
  const imports = readPythonImports(folder, globSync('**/*.py', { cwd: folder }))
  t.true(imports.length > 50)
  t.deepEqual(findCycles(imports), [])
})

// Its sentences are the only text from an address that the console shows.
const shared = 'src/identity/sign-in-result.ts'

test('the console runs nothing of the server but the sentences of failed sign-ins', (t) => {
  const files = globSync('console/src/**/*.{ts,tsx}', { cwd: root })
  const found = readImports(root, files).filter(
    ({ to, typeOnly }) => to.startsWith('src/') && !typeOnly,
  )
  t.deepEqual(
    found.map(({ from, to }) => [from, to]),
    [['console/src/session/sign-in-errors.ts', shared]],
  )
})
