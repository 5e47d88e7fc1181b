import { globSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import test from 'ava'

const root = join(import.meta.dirname, '../..')

type Import = { from: string; to: string; typeOnly: boolean }

const sources = globSync('src/**/*.ts', { cwd: root })
const imports: Import[] = sources.flatMap((from) => {
  const text = readFileSync(join(root, from), 'utf8')
  const statements = text.matchAll(/^(?:import|export) (type )?[^'"]*?from '([^']+)'/gm)
  return [...statements].map(([, type, target = '']) => {
    const to = target.startsWith('.') ? relative(root, join(root, dirname(from), target)) : target
    return { from, to, typeOnly: type !== undefined }
  })
})

const room = (path: string) => /^src\/(\w+)\//.exec(path)?.[1]
const inside = (path: string, ...rooms: string[]) => rooms.includes(room(path) ?? '')

function forbid(title: string, isForbidden: (row: Import) => boolean): void {
  test(title, (t) => {
    const found = imports.filter(isForbidden).map(({ from, to }) => `${from} imports ${to}`)
    t.deepEqual(found, [])
  })
}

const pure = [
  'src/permissions/access.ts',
  'src/workspaces/roles.ts',
  'src/identity/claims.ts',
  'src/activity/occurrences.ts',
  'src/admin/import/plan.ts',
]

test('there is something to look at', (t) => {
  t.true(imports.length > 100)
  for (const path of pure) t.true(sources.includes(path), path)
})

forbid('pure decisions import nothing but each other and types', ({ from, to, typeOnly }) => {
  return pure.includes(from) && !pure.includes(to) && !typeOnly
})

forbid('the doors import the pipeline and nothing behind it', ({ from, to }) => {
  return (
    inside(from, 'grpc', 'http') && to.startsWith('src/') && !inside(to, room(from) ?? '', 'rpc')
  )
})

forbid('express stays in http', ({ from, to }) => to === 'express' && !inside(from, 'http'))

forbid('grpc-js stays in grpc', ({ from, to }) => {
  return to === '@grpc/grpc-js' && !inside(from, 'grpc')
})

forbid('use cases know of gen/ its types alone', ({ from, to, typeOnly }) => {
  return (
    to.startsWith('gen/') && !typeOnly && from !== 'src/services.ts' && !inside(from, 'cli', 'grpc')
  )
})

forbid('no room reaches for the operator’s tool', ({ from, to }) => {
  return inside(to, 'cli') && !inside(from, 'cli')
})

test('no check waits for entities, the façade or other use cases to be read', (t) => {
  const read = new Set(['src/operation/node.ts'])
  for (const path of read)
    for (const { from, to, typeOnly } of imports) if (from === path && !typeOnly) read.add(to)
  t.true(read.has('src/permissions/check.ts'))
  const late = [...read].filter((path) => {
    return /^(@mikro-orm|express$|src\/(http|storage\/entities)\/|src\/use-cases)/.test(path)
  })
  t.deepEqual(late, [])
})

test('only main.ts and cli read process', (t) => {
  const readers = sources.filter((path) => {
    const text = readFileSync(join(root, path), 'utf8').replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '')
    return /(^|[^.\w'`-])process\b[.[]|from '(node:)?process'/m.test(text)
  })
  t.deepEqual(
    readers.filter((path) => path !== 'src/main.ts' && !inside(path, 'cli')),
    [],
  )
})

test('no file is named for nothing in particular', (t) => {
  const vague = /(^|[-/])(utils?|helpers?|common|types|service|manager|misc|index)\.ts$/
  t.deepEqual(
    sources.filter((path) => vague.test(path)),
    [],
  )
})
