import { randomUUID } from 'node:crypto'
import test, { type ExecutionContext } from 'ava'
import { expectOk } from '../support/outcome.ts'
import { startTestEnvironment } from '../support/test-environment.ts'
import type { Outcome, Transport } from '../support/transports.ts'
import {
  createWorkspaceFixture,
  type Member,
  type ResourceRecord,
  type WorkspaceFixture,
} from '../support/workspace-fixture.ts'

const environment = await startTestEnvironment({ maxFactsCacheBytes: 10_000_000 })
const other = await environment.addNode()
test.after.always(() => environment.stop())

/** The time limit in milliseconds for slow machines. */
const timeLimit = 20_000

/** A member whose access is granted and revoked in turn; writes go through `writer`. */
type Lane = {
  fixture: WorkspaceFixture
  person: Member
  record: ResourceRecord
  group: string
  writer: Transport
  folders: Folders | undefined
}

/** The ancestors of a nested resource: `middle` is its parent, and below `shared` or `other`. */
type Folders = Record<'middle' | 'shared' | 'other', ResourceRecord>

/** How one kind of access is granted and revoked, and the result of a check after the revocation. */
type Right = {
  give(lane: Lane): Promise<unknown>
  take(lane: Lane): Promise<unknown>
  refused: 'false' | 'unauthenticated'
  /** The resource is in folders, of which `shared` is shared with the member. */
  isNested?: true
}

const sql = (text: string, ...values: unknown[]) => environment.pool.query(text, values)

const grantee = ({ person, record }: Lane) => {
  const whom = { grantee_type: 'user', grantee_id: person.id, permission: 'view' }
  return { permission_id: record.id, ...whom }
}
const setVisibility = async ({ writer, fixture, record }: Lane, visibility: string) => {
  const message = { permission_id: record.id, visibility }
  expectOk(await writer.call('UpdateVisibility', message, { key: fixture.key }))
}

/** Changes the place of the parent of a nested resource. */
const updateMiddle = async ({ writer, fixture, folders }: Lane, message: object) => {
  const named = { permission_id: folders?.middle.id, ...message }
  expectOk(await writer.call('UpdateParent', named, { key: fixture.key }))
}
const moveMiddle = async (lane: Lane, to: 'shared' | 'other') => {
  await updateMiddle(lane, below(lane.folders?.[to]))
}
const shareOfAncestor = (lane: Lane) => ({
  ...grantee(lane),
  permission_id: lane.folders?.shared.id,
})
/** A group with the member is added to a group that the resource is shared with, or removed. */
const callGroups = async (lane: Lane, method: string, child_id: string | undefined) => {
  const { workspace, people } = lane.fixture
  const message = { workspace_id: workspace, group_id: lane.group, child_id }
  expectOk(await lane.writer.call(method, message, { token: people.admin.token }))
}
const childGroups = new WeakMap<Lane, string>()

const inheritedRights: Record<string, Right> = {
  'share of an ancestor': {
    give: async (lane) => {
      await moveMiddle(lane, 'shared')
      const { people, as } = lane.fixture
      expectOk(await lane.writer.call('Share', shareOfAncestor(lane), as(people.owner)))
    },
    take: async (lane) => {
      const { key } = lane.fixture
      expectOk(await lane.writer.call('RevokeShare', shareOfAncestor(lane), { key }))
    },
    refused: 'false',
    isNested: true,
  },
  'place in a tree': {
    give: (lane) => moveMiddle(lane, 'shared'),
    take: (lane) => moveMiddle(lane, 'other'),
    refused: 'false',
    isNested: true,
  },
  inheritance: {
    give: async (lane) => {
      await moveMiddle(lane, 'shared')
      await updateMiddle(lane, { inherits: true })
    },
    take: (lane) => updateMiddle(lane, { inherits: false }),
    refused: 'false',
    isNested: true,
  },
  'nesting of a group': {
    give: async (lane) => {
      const { workspace } = lane.fixture
      const child =
        childGroups.get(lane) ?? (await environment.seed.group(workspace, [lane.person.id]))
      childGroups.set(lane, child)
      await callGroups(lane, 'AddChildGroup', child)
    },
    take: (lane) => callGroups(lane, 'RemoveChildGroup', childGroups.get(lane)),
    refused: 'false',
  },
}

const rights: Record<string, Right> = {
  share: {
    give: async (lane) => {
      const { people, as } = lane.fixture
      expectOk(await lane.writer.call('Share', grantee(lane), as(people.owner)))
    },
    take: async (lane) => {
      expectOk(await lane.writer.call('RevokeShare', grantee(lane), { key: lane.fixture.key }))
    },
    refused: 'false',
  },
  visibility: {
    give: (lane) => setVisibility(lane, 'workspace'),
    take: (lane) => setVisibility(lane, 'private'),
    refused: 'false',
  },
  'group membership': {
    give: ({ group, person, fixture }) =>
      sql(
        'insert into group_members (group_id, user_id, workspace_id) values ($1, $2, $3)',
        group,
        person.id,
        fixture.workspace,
      ),
    take: ({ group, person }) =>
      sql('delete from group_members where group_id = $1 and user_id = $2', group, person.id),
    refused: 'false',
  },
  'membership of its owner': {
    give: ({ fixture, person }) =>
      sql(
        `insert into members (workspace_id, user_id, role) values ($1, $2, 'owner')
         on conflict (user_id, workspace_id) do update set role = 'owner'`,
        fixture.workspace,
        person.id,
      ),
    take: ({ person }) => sql('delete from members where user_id = $1', person.id),
    refused: 'unauthenticated',
  },
  role: {
    give: ({ person }) => sql(`update members set role = 'admin' where user_id = $1`, person.id),
    take: ({ person }) => sql(`update members set role = 'viewer' where user_id = $1`, person.id),
    refused: 'false',
  },
  'service key': {
    give: async (lane) => {
      await sql('update service_apps set is_active = true where id = $1', lane.fixture.appId)
      await sql(`update members set role = 'admin' where user_id = $1`, lane.person.id)
    },
    take: ({ fixture }) =>
      sql('update service_apps set is_active = false where id = $1', fixture.appId),
    refused: 'unauthenticated',
  },
  token: {
    give: async (lane) => {
      await sql(`update members set role = 'admin' where user_id = $1`, lane.person.id)
      lane.person.token = await environment.token(lane.person.id, lane.fixture.workspace)
    },
    take: async ({ writer, person }) => {
      expectOk(await writer.call('Logout', {}, { token: person.token }))
    },
    refused: 'unauthenticated',
  },
  user: {
    give: async ({ person }) => {
      await sql(`update members set role = 'admin' where user_id = $1`, person.id)
      await sql('update users set is_active = true where id = $1', person.id)
    },
    take: ({ person }) => sql('update users set is_active = false where id = $1', person.id),
    refused: 'unauthenticated',
  },
}

test.serial(
  'access revoked on one node is denied on the other as soon as the call returns, 1008 times under load',
  (t) => revokeRepeatedly(t, rights, 1008),
)

test.serial('the same for access through folders and nested groups, 320 times', (t) =>
  revokeRepeatedly(t, inheritedRights, 320),
)

async function revokeRepeatedly(
  t: ExecutionContext,
  rights: Record<string, Right>,
  rounds: number,
): Promise<void> {
  const [transport] = environment.transports as [Transport]
  const busy = { now: true }
  const lanes = await Promise.all(
    Object.entries(rights).flatMap(([name, right]) =>
      [environment, other].map(async (node, index) => {
        const fixture = await createWorkspaceFixture(environment, transport)
        const person = await fixture.addMember('viewer')
        const folders = right.isNested && (await createFolders(fixture, person))
        const record = await fixture.register(fixture.people.owner, below(folders?.middle))
        const group = await seedGroup(fixture, record)
        const [writer, readers] = [
          node.transports[index] as Transport,
          (index ? environment : other).transports,
        ]
        return { name, right, readers, lane: { fixture, record, group, person, writer, folders } }
      }),
    ),
  )
  const deadline = performance.now() + timeLimit
  const load = Promise.all(lanes.map(({ lane, readers }) => keepBusy(lane, readers, busy)))

  const perLane = rounds / lanes.length
  const done = await Promise.all(
    lanes.map(async ({ name, right, lane, readers }) => {
      let round = 0
      for (; round < perLane && performance.now() < deadline; round += 1) {
        const reader = readers[round % 2] as Transport
        await right.give(lane)
        const before = describeOutcome(await sendCheck(reader, lane))
        await right.take(lane)
        const after = describeOutcome(await sendCheck(reader, lane))
        if (before !== 'true' || after !== right.refused)
          t.fail(`${name}, round ${round}: ${before} before, ${after} after`)
      }
      return round
    }),
  ).finally(() => {
    busy.now = false
  })
  await load
  const total = done.reduce((sum, count) => sum + count, 0)
  t.log(`${total} rounds`)
  t.true(total >= rounds || performance.now() >= deadline)
  t.true(total >= rounds / 10)
}

async function createFolders(fixture: WorkspaceFixture, person: Member): Promise<Folders> {
  const { register, people } = fixture
  const top = await register(people.owner)
  const shared = await register(people.owner, below(top))
  const other = await register(people.owner, below(top))
  const middle = await register(people.owner, below(other))
  await fixture.share(people.owner, shared, { user: person.id }, 'view')
  return { shared, other, middle }
}

/** Where to register a resource. */
function below(parent: ResourceRecord | undefined): Record<string, unknown> {
  if (!parent) return {}
  const { resource_type, resource_id } = parent
  return { parent: { resource_type, resource_id } }
}

async function seedGroup(fixture: WorkspaceFixture, record: ResourceRecord): Promise<string> {
  const group = await environment.seed.group(fixture.workspace)
  await fixture.share(fixture.people.owner, record, { group }, 'view')
  return group
}

function sendCheck(transport: Transport, { fixture, person, record }: Lane): Promise<Outcome> {
  const checks = [{ ...fixture.kind, resource_id: record.resource_id, action: 'view' }]
  return transport.call('Check', { checks }, { token: person.token, key: fixture.key })
}

function describeOutcome(outcome: Outcome): string {
  return outcome.ok ? String(outcome.message.results[0].allowed) : outcome.code
}

/** Sends checks continuously, so that every batched query has several callers. */
async function keepBusy(
  lane: Lane,
  transports: Transport[],
  busy: { now: boolean },
): Promise<void> {
  const noise = { ...lane, person: lane.fixture.people.editor }
  const unknownResource = { ...lane, record: { ...lane.record, resource_id: randomUUID() } }
  while (busy.now) {
    await sendCheck(transports[0] as Transport, noise)
    await sendCheck(transports[0] as Transport, lane)
    await sendCheck(transports[0] as Transport, unknownResource)
  }
}
