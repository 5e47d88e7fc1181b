import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import { features } from '../../src/server/features.ts'
import { type Import, readImports } from '../support/imports.ts'

const root = join(import.meta.dirname, '../..')

const sources = globSync('src/**/*.ts', { cwd: root })
const imports = readImports(root, sources)

const featureNames: string[] = features.map(({ name }) => name)

/** The features that send requests or e-mails. */
const outbound = [
  'client-metadata',
  'identity',
  'workspaces',
  'admin',
  'webhooks',
  'connections',
  'delegations',
  'email-sign-in',
  'passkeys',
]

/** The features that listen on a port of their own. */
const listening = ['console']

/** Returns the folders without features that a feature may import. */
/** The features that count what they do in windows of their own. */
const counting = ['client-metadata']

function below(feature: string): string[] {
  return [
    ...['core', 'config', 'database'],
    ...(outbound.includes(feature) ? ['outbound'] : []),
    ...(counting.includes(feature) ? ['rate-limit'] : []),
    ...(listening.includes(feature) ? ['http'] : []),
  ]
}

/** The folders of src that the files of each folder may import, in addition to their own. */
const allowed: Record<string, string[]> = {
  core: [],
  config: ['core'],
  outbound: ['core'],
  database: ['core'],
  'rate-limit': ['core'],
  ...Object.fromEntries(features.map(({ name, needs }) => [name, [...below(name), ...needs]])),
  rpc: ['core', 'database', 'rate-limit', 'permissions'],
  grpc: ['core', 'rpc'],
  http: ['core', 'rpc'],
  server: [
    'core',
    'config',
    'outbound',
    'database',
    'rate-limit',
    ...featureNames,
    'rpc',
    'grpc',
    'http',
  ],
  cli: ['core', 'config', 'outbound', 'database', ...featureNames, 'rpc', 'server'],
  dev: ['core', 'config', 'database', ...featureNames, 'rpc', 'server', 'cli'],
}

/** The files of features that rpc may import: types and pure functions, but no handlers. */
const importedByRpc = [
  'src/permissions/decision-handler.ts',
  'src/permissions/engine/ask.ts',
  'src/permissions/engine/question.ts',
  'src/identity/reasons.ts',
  'src/workspaces/reasons.ts',
]

/** Pure decisions, which may import only types and each other. */
const pure = [
  'src/permissions/access.ts',
  'src/core/errors.ts',
  'src/core/error-codes.ts',
  'src/core/define-reasons.ts',
  'src/core/quotas.ts',
  'src/core/roles.ts',
  'src/core/slug.ts',
  'src/core/uuid.ts',
  'src/database/replicas/replica-choice.ts',
  'src/gateway/route-table.ts',
  'src/gateway/path-template.ts',
  'src/gateway/id-template.ts',
  'src/gateway/request-path.ts',
  'src/identity/claims.ts',
  'src/activity/feed/concerned.ts',
  'src/csv-import/conflicts.ts',
  'src/csv-import/plan.ts',
  'src/csv-import/plan-input.ts',
  'src/csv-import/quota-use.ts',
  // The events of every feature.
  ...sources.filter((path) => path.endsWith('/events.ts')),
  ...globSync('src/*/reasons.ts', { cwd: root }).filter((path) => path !== 'src/server/reasons.ts'),
]

const folderOf = (path: string) => /^src\/([\w-]+)\//.exec(path)?.[1]
const isIn = (path: string, ...folders: string[]) => folders.includes(folderOf(path) ?? '')

function forbid(title: string, isForbidden: (row: Import) => boolean): void {
  test(title, (t) => {
    const found = imports.filter(isForbidden).map(({ from, to }) => `${from} imports ${to}`)
    t.deepEqual(found, [])
  })
}

test('the rules cover every folder and name existing files', (t) => {
  t.true(imports.length > 100)
  t.deepEqual(
    [...new Set(sources.map(folderOf))].filter((folder) => folder && !allowed[folder]),
    [],
  )
  for (const path of [...pure, ...importedByRpc]) t.true(sources.includes(path), path)
})

forbid('imports point down', ({ from, to }) => {
  const folder = folderOf(from)
  const target = folderOf(to)
  if (!folder || !target || folder === target) return false
  return !allowed[folder]?.includes(target)
})

forbid('rpc imports no handler', ({ from, to }) => {
  return isIn(from, 'rpc') && isIn(to, ...featureNames) && !importedByRpc.includes(to)
})

test('rpc, grpc and http name no feature', (t) => {
  // They contain the enums of policy.proto and example values of messages.
  const declarations = [
    'src/rpc/credential-policy.ts',
    'src/rpc/method.ts',
    'src/http/openapi/examples.ts',
  ]
  const named = sources
    .filter((path) => isIn(path, 'rpc', 'grpc', 'http') && !declarations.includes(path))
    .filter((path) =>
      /scim|webhook|connection_session/i.test(readFileSync(join(root, path), 'utf8')),
    )
  t.deepEqual(named, [])
})

forbid('of config, features import what declares settings', ({ from, to }) => {
  const declares = ['src/config/parsers.ts', 'src/config/setting.ts', 'src/config/settings.ts']
  // Signing keys and identity providers are created from their settings.
  return (
    isIn(from, ...featureNames) &&
    isIn(to, 'config') &&
    !declares.includes(to) &&
    !isIn(from, 'identity')
  )
})

forbid('the engine imports no operation', ({ from, to }) => {
  const below = [
    'src/permissions/engine/',
    'src/permissions/conditions/',
    'src/permissions/access.ts',
  ]
  const isBelow = below.some((path) => to.startsWith(path))
  return from.startsWith('src/permissions/engine/') && isIn(to, ...featureNames) && !isBelow
})

forbid('operations on permissions do not import the Access API', ({ from, to }) => {
  const isAccessApi = (path: string) => path.startsWith('src/permissions/evaluate/')
  const isOperation = isIn(from, 'permissions') && from !== 'src/permissions/parts.ts'
  return isOperation && !isAccessApi(from) && isAccessApi(to)
})

forbid('pure decisions import types and each other', ({ from, to, typeOnly }) => {
  return pure.includes(from) && !pure.includes(to) && !typeOnly
})

forbid('only http imports express', ({ from, to }) => to === 'express' && !isIn(from, 'http'))

forbid('only grpc imports grpc-js', ({ from, to }) => {
  return to === '@grpc/grpc-js' && !isIn(from, 'grpc')
})

/** Files that reach PostgreSQL through MikroORM, its entities or SQL in a transaction. */
const isStore = (path: string) => /^src\/([\w-]+\/)+store\//.test(path) || isIn(path, 'database')

forbid('only stores and database know the entity manager', ({ from, to }) => {
  return to.startsWith('@mikro-orm/') && !isStore(from) && from !== 'src/server/stores.ts'
})

forbid('only stores and database use entities and SQL', ({ from, to, typeOnly }) => {
  const isSql = to.startsWith('src/database/entities/') || to === 'src/database/query.ts'
  return isSql && !typeOnly && !isStore(from)
})

forbid('handlers import only types of gen', ({ from, to, typeOnly }) => {
  return (
    to.startsWith('gen/') &&
    !typeOnly &&
    from !== 'src/server/grpc-services.ts' &&
    !isIn(from, 'cli', 'grpc')
  )
})

test('only the entry points, cli and dev use process', (t) => {
  const users = sources.filter((path) => {
    const text = readFileSync(join(root, path), 'utf8').replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '')
    return /(^|[^.\w'`-])process\b[.[]|from '(node:)?process'/m.test(text)
  })
  t.deepEqual(
    users.filter((path) => folderOf(path) !== undefined && !isIn(path, 'cli', 'dev')),
    [],
  )
})

test('no file has a vague name', (t) => {
  const vague = /(^|[-/])(utils?|helpers?|common|types|service|manager|misc|index)\.ts$/
  t.deepEqual(
    sources.filter((path) => vague.test(path)),
    [],
  )
})
