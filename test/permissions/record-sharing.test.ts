import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import test from 'ava'
import { startTestEnvironment, type TestEnvironment } from '../support/test-environment.ts'
import type { Transport } from '../support/transports.ts'

type Data = {
  people: { name: string; role: string; department: string }[]
  records: { record: string; department: string; owner: string }[]
  who_may: { record: string; action: string; users: string[] }[]
  what_may: { user: string; action: string; records: string[] }[]
  which_actions: { user: string; record: string; actions: string[] }[]
}

const data: Data = JSON.parse(
  readFileSync(new URL('../data/record-sharing.json', import.meta.url), 'utf8'),
)
const kind = { service_name: 'library', resource_type: 'record' }

/**
 * The example data after loading it over one transport: database IDs, tokens and records by name.
 */
type Library = {
  workspace: string
  key: string
  people: Map<string, string>
  tokens: Map<string, string>
  records: Map<string, { id: string; permissionId: string; owner: string }>
}

for (const index of [0, 1]) {
  test(`the server returns the 198 expected results for 20 records and 6 users over ${['gRPC', 'REST'][index]}`, async (t) => {
    const environment = await startTestEnvironment()
    t.teardown(() => environment.stop())
    const transport = environment.transports[index] as Transport
    const library = await load(environment, transport)
    let resultCount = 0

    for (const [user, token] of library.tokens) {
      const checks = data.records.flatMap(({ record }) =>
        ['view', 'edit'].map((action) => ({ ...kind, action, resource_id: idOf(library, record) })),
      )
      const credentials = { token, key: library.key }
      const outcome = await transport.call('Check', { checks: checks }, credentials)
      if (!outcome.ok) return t.fail(outcome.detail)
      const results: { resource_id: string; action: string; allowed: boolean }[] =
        outcome.message.results
      t.deepEqual(
        results.map(({ allowed, ...rest }) => rest as object),
        checks,
      )
      const isAllowed = (record: string, action: string) =>
        action === 'delete'
          ? owns(library, user, record)
          : results.find((r) => r.resource_id === idOf(library, record) && r.action === action)
              ?.allowed

      for (const { record, action, users } of data.who_may)
        t.is(isAllowed(record, action), users.includes(user), `${user} ${action} ${record}`)
      for (const expected of data.which_actions.filter((row) => row.user === user)) {
        const actions = ['delete', 'edit', 'view'].filter((action) =>
          isAllowed(expected.record, action),
        )
        t.deepEqual(actions, expected.actions)
        resultCount += 1
      }
      for (const { action, records } of data.what_may.filter((row) => row.user === user)) {
        t.deepEqual(
          await listRecords(transport, library, user, action, credentials),
          records.toSorted(),
        )
        resultCount += 1
      }
    }
    t.is(resultCount + data.who_may.length, 198)
  })
}

/** Lists records with Accessible. Only owners may delete, which is not an action of the service. */
async function listRecords(
  transport: Transport,
  library: Library,
  user: string,
  action: string,
  credentials: object,
) {
  const names = [...library.records.keys()]
  if (action === 'delete') return names.filter((record) => owns(library, user, record))
  const request = { ...kind, action, workspace_id: library.workspace }
  const outcome = await transport.call('Accessible', request, credentials)
  if (!outcome.ok) throw new Error(outcome.detail)
  const ids: string[] = outcome.message.resource_ids
  return names.filter((record) => ids.includes(idOf(library, record))).toSorted()
}

function idOf(library: Library, record: string): string {
  return library.records.get(record)?.id ?? ''
}

function owns(library: Library, user: string, record: string): boolean {
  return library.records.get(record)?.owner === library.people.get(user)
}

async function load(environment: TestEnvironment, transport: Transport): Promise<Library> {
  const { seed } = environment
  const workspace = await seed.workspace('library')
  const { key } = await seed.serviceApp('library')
  const people = new Map<string, string>()
  const tokens = new Map<string, string>()
  for (const { name } of data.people) {
    const id = await seed.newMember(workspace, 'viewer', name)
    people.set(name, id)
    tokens.set(name, await environment.token(id, workspace))
  }
  const ids = (chosen: Data['people']) => chosen.map(({ name }) => people.get(name) as string)
  const managers = data.people.filter(({ role }) => role === 'manager')
  const allManagers = await seed.group(workspace, ids(managers), 'managers')
  const departments = new Map<string, { all: string; managers: string }>()
  for (const department of new Set(
    [...data.people, ...data.records].map((row) => row.department),
  )) {
    const of = (chosen: Data['people']) =>
      ids(chosen.filter((row) => row.department === department))
    departments.set(department, {
      all: await seed.group(workspace, of(data.people), department),
      managers: await seed.group(workspace, of(managers), `${department} managers`),
    })
  }

  const records: Library['records'] = new Map()
  for (const { record, department, owner } of data.records) {
    const id = randomUUID()
    const owner_id = people.get(owner) as string
    const registered = await transport.call(
      'Register',
      { ...kind, resource_id: id, workspace_id: workspace, owner_id, visibility: 'private' },
      { key },
    )
    if (!registered.ok) throw new Error(registered.detail)
    const permission_id: string = registered.message.id
    const groups = departments.get(department) as { all: string; managers: string }
    const shares: [string, string][] = [
      [groups.all, 'view'],
      [allManagers, 'view'],
      [groups.managers, 'edit'],
    ]
    for (const [grantee_id, permission] of shares) {
      const shared = await transport.call(
        'Share',
        { permission_id, grantee_type: 'group', grantee_id, permission },
        { key, token: tokens.get(owner) as string },
      )
      if (!shared.ok) throw new Error(shared.detail)
    }
    records.set(record, { id, permissionId: permission_id, owner: owner_id })
  }
  return { workspace, key, people, tokens, records }
}
