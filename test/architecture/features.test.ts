import { globSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import test from 'ava'
import { joinTables } from '../../src/server/feature.ts'
import { features } from '../../src/server/features.ts'

const src = join(import.meta.dirname, '../../src')

/** The folders of src that are no features. */
const central = [
  ...['cli', 'config', 'core', 'database', 'dev', 'grpc', 'http', 'outbound'],
  ...['rate-limit', 'rpc', 'server'],
]

/** The features that a server could do without. */
const optional = [
  'connections',
  'console',
  'csv-import',
  'following',
  'gateway',
  'links',
  'scim',
  'webhooks',
]

/** What commands import of an optional feature, without which they are removed. */
const commands = ['cli/admin-handlers.ts', 'cli/migrate-from/apply-members.ts']

const names: string[] = features.map(({ name }) => name)

/** Returns the features that the files of a feature import. */
function findNeeds(name: string): string[] {
  const needs = globSync(`${name}/**/*.ts`, { cwd: src }).flatMap((file) =>
    [...readFileSync(join(src, file), 'utf8').matchAll(/(?:from |import\()'(\.[^']+)'/g)].map(
      ([, target = '']) => relative(src, join(src, dirname(file), target)).split('/')[0] ?? '',
    ),
  )
  return [...new Set(needs)].filter((need) => need !== name && names.includes(need)).sort()
}

test('every folder of a feature has a record in the list', (t) => {
  const folders = readdirSync(src, { withFileTypes: true }).filter((entry) => entry.isDirectory())
  t.deepEqual(
    [...names].sort(),
    folders.map(({ name }) => name).filter((name) => !central.includes(name)),
  )
})

for (const { name, needs } of features)
  test(`${name} needs the features that its files import`, (t) => {
    t.deepEqual([...needs], findNeeds(name))
  })

test('features need only lower ones: there is no circle', (t) => {
  const remaining = new Map<string, readonly string[]>(
    features.map(({ name, needs }) => [name, needs]),
  )
  for (let found = true; found; ) {
    const ready = [...remaining].filter(([, needs]) => !needs.some((need) => remaining.has(need)))
    for (const [name] of ready) remaining.delete(name)
    found = ready.length > 0
  }
  t.deepEqual([...remaining.keys()], [])
})

test('features bring all of their handlers, jobs and stores', (t) => {
  const lists = globSync(`{${names.join(',')}}/{handlers,jobs,store/stores}.ts`, { cwd: src })
  t.true(lists.length > 20)
  t.deepEqual(
    lists.filter((file) => {
      const [folder = ''] = file.split('/')
      const parts = readFileSync(join(src, folder, 'parts.ts'), 'utf8')
      return !parts.includes(`from './${relative(folder, file)}'`)
    }),
    [],
  )
})

test('only the list of features and commands import an optional feature', (t) => {
  const files = central
    .flatMap((folder) => globSync(`${folder}/**/*.ts`, { cwd: src }))
    .filter((file) => file !== 'server/features.ts')
  const importing = files.filter((file) => {
    const text = readFileSync(join(src, file), 'utf8')
    return optional.some((name) => new RegExp(`(from |import\\()'[./]+/${name}/`).test(text))
  })
  t.true(files.length > 100)
  t.deepEqual(importing.sort(), commands)
})

test('no other feature needs one that a server could do without', (t) => {
  const others = features.filter(({ name }) => !optional.includes(name))
  const arrows = others.flatMap(({ name, needs }) => needs.map((need) => [name, need] as const))
  t.true(arrows.length > 5)
  t.deepEqual(
    arrows.filter(([, need]) => optional.includes(need)),
    [],
  )
})

test('central files name no event and no setting of an optional feature', (t) => {
  const files = central.flatMap((folder) => globSync(`${folder}/**/*.ts`, { cwd: src }))
  const others = files.filter((file) => !/^(cli|dev|database\/migrations)\//.test(file))
  const declared = features
    .filter(({ name }) => optional.includes(name))
    .flatMap((feature) => [
      ...('events' in feature ? Object.keys(feature.events) : []).map((name) => `'${name}'`),
      ...('settings' in feature ? Object.keys(feature.settings) : []),
    ])
  t.true(declared.length > 20)
  const named = [...others, ...globSync('activity/**/*.ts', { cwd: src })].flatMap((file) => {
    const text = readFileSync(join(src, file), 'utf8')
    return declared.filter((name) => text.includes(name)).map((name) => `${file}: ${name}`)
  })
  t.deepEqual(named, [])
})

test('two features cannot declare the same name', (t) => {
  t.deepEqual(joinTables([{ a: 1 }, { b: 2 }]), { a: 1, b: 2 })
  t.throws(() => joinTables([{ a: 1 }, { a: 2 }]), { message: 'two features declare a' })
})
