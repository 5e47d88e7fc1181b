import { randomUUID } from 'node:crypto'
import test, { type ExecutionContext } from 'ava'
import { expectOk } from '../support/outcome.ts'
import { startTestEnvironment } from '../support/test-environment.ts'
import { type Outcome, repeatLockTimeouts, type Transport } from '../support/transports.ts'
import {
  createWorkspaceFixture,
  type Member,
  type ResourceRecord,
  type WorkspaceFixture,
} from '../support/workspace-fixture.ts'

const environment = await startTestEnvironment({ MAX_FACTS_CACHE_BYTES: 10_000_000 })
const other = await environment.addNode()
test.after.always(() => environment.stop())

/** Milliseconds after which a slow machine stops early. */
const timeLimit = 20_000

/** A member whose access is repeatedly granted and revoked through `writer`. */
type Lane = {
  fixture: WorkspaceFixture
  person: Member
  record: ResourceRecord
  group: string
  writer: Transport
  folders: Folders | undefined
}

/** The ancestors of a nested resource. Its parent is `middle`, which is in `shared` or `other`. */
type Folders = Record<'middle' | 'shared' | 'other', ResourceRecord>

/** A kind of access: how to grant and revoke it, and the result of a check after the revocation. */
type AccessKind = {
  grant(lane: Lane): Promise<unknown>
  revoke(lane: Lane): Promise<unknown>
  outcomeAfterRevocation: 'false' | 'unauthenticated'
  /** Whether the resource is in folders. The folder `shared` is shared with the member. */
  isNested?: true
}

const sql = (text: string, ...values: unknown[]) => environment.pool.query(text, values)

const shareMessage = ({ person, record }: Lane) => {
  const grant = { grantee_type: 'user', grantee_id: person.id, permission: 'view' }
  return { permission_id: record.id, ...grant }
}
const setVisibility = async ({ writer, fixture, record }: Lane, visibility: string) => {
  const message = { permission_id: record.id, visibility }
  expectOk(await writer.call('UpdateVisibility', message, { key: fixture.key }))
}

/** Moves the parent of a nested resource, or changes whether it inherits. */
const updateMiddle = async ({ writer, fixture, folders }: Lane, message: object) => {
  const request = { permission_id: folders?.middle.id, ...message }
  expectOk(await writer.call('UpdateParent', request, { key: fixture.key }))
}
const moveMiddle = async (lane: Lane, to: 'shared' | 'other') => {
  await updateMiddle(lane, parentField(lane.folders?.[to]))
}
const shareOfAncestor = (lane: Lane) => ({
  ...shareMessage(lane),
  permission_id: lane.folders?.shared.id,
})
/**
 * Adds a child group of the member to the group that the resource is shared with, or removes it.
 */
const callGroups = async (lane: Lane, method: string, child_id: string | undefined) => {
  const { workspace, people } = lane.fixture
  const message = { workspace_id: workspace, group_id: lane.group, child_id }
  expectOk(await lane.writer.call(method, message, { token: people.admin.token }))
}
const childGroups = new WeakMap<Lane, string>()

const inheritedAccessKinds: Record<string, AccessKind> = {
  'share of an ancestor': {
    grant: async (lane) => {
      await moveMiddle(lane, 'shared')
      const { people, as } = lane.fixture
      expectOk(await lane.writer.call('Share', shareOfAncestor(lane), as(people.owner)))
    },
    revoke: async (lane) => {
      const { key } = lane.fixture
      expectOk(await lane.writer.call('RevokeShare', shareOfAncestor(lane), { key }))
    },
    outcomeAfterRevocation: 'false',
    isNested: true,
  },
  'place in a tree': {
    grant: (lane) => moveMiddle(lane, 'shared'),
    revoke: (lane) => moveMiddle(lane, 'other'),
    outcomeAfterRevocation: 'false',
    isNested: true,
  },
  inheritance: {
    grant: async (lane) => {
      await moveMiddle(lane, 'shared')
      await updateMiddle(lane, { inherits: true })
    },
    revoke: (lane) => updateMiddle(lane, { inherits: false }),
    outcomeAfterRevocation: 'false',
    isNested: true,
  },
  'nesting of a group': {
    grant: async (lane) => {
      const { workspace } = lane.fixture
      const child =
        childGroups.get(lane) ?? (await environment.seed.group(workspace, [lane.person.id]))
      childGroups.set(lane, child)
      await callGroups(lane, 'AddChildGroup', child)
    },
    revoke: (lane) => callGroups(lane, 'RemoveChildGroup', childGroups.get(lane)),
    outcomeAfterRevocation: 'false',
  },
}

const accessKinds: Record<string, AccessKind> = {
  share: {
    grant: async (lane) => {
      const { people, as } = lane.fixture
      expectOk(await lane.writer.call('Share', shareMessage(lane), as(people.owner)))
    },
    revoke: async (lane) => {
      expectOk(await lane.writer.call('RevokeShare', shareMessage(lane), { key: lane.fixture.key }))
    },
    outcomeAfterRevocation: 'false',
  },
  visibility: {
    grant: (lane) => setVisibility(lane, 'workspace'),
    revoke: (lane) => setVisibility(lane, 'private'),
    outcomeAfterRevocation: 'false',
  },
  'group membership': {
    grant: ({ group, person, fixture }) =>
      sql(
        'insert into group_members (group_id, user_id, workspace_id) values ($1, $2, $3)',
        group,
        person.id,
        fixture.workspace,
      ),
    revoke: ({ group, person }) =>
      sql('delete from group_members where group_id = $1 and user_id = $2', group, person.id),
    outcomeAfterRevocation: 'false',
  },
  'membership of its owner': {
    grant: ({ fixture, person }) =>
      sql(
        `insert into members (workspace_id, user_id, role) values ($1, $2, 'owner')
         on conflict (user_id, workspace_id) do update set role = 'owner'`,
        fixture.workspace,
        person.id,
      ),
    revoke: ({ person }) => sql('delete from members where user_id = $1', person.id),
    outcomeAfterRevocation: 'unauthenticated',
  },
  role: {
    grant: ({ person }) => sql(`update members set role = 'admin' where user_id = $1`, person.id),
    revoke: ({ person }) => sql(`update members set role = 'viewer' where user_id = $1`, person.id),
    outcomeAfterRevocation: 'false',
  },
  'service key': {
    grant: async (lane) => {
      await sql('update service_apps set is_active = true where id = $1', lane.fixture.appId)
      await sql(`update members set role = 'admin' where user_id = $1`, lane.person.id)
    },
    revoke: ({ fixture }) =>
      sql('update service_apps set is_active = false where id = $1', fixture.appId),
    outcomeAfterRevocation: 'unauthenticated',
  },
  token: {
    grant: async (lane) => {
      await sql(`update members set role = 'admin' where user_id = $1`, lane.person.id)
      lane.person.token = await environment.token(lane.person.id, lane.fixture.workspace)
    },
    revoke: async ({ writer, person }) => {
      expectOk(await writer.call('Logout', {}, { token: person.token }))
    },
    outcomeAfterRevocation: 'unauthenticated',
  },
  user: {
    grant: async ({ person }) => {
      await sql(`update members set role = 'admin' where user_id = $1`, person.id)
      await sql('update users set is_active = true where id = $1', person.id)
    },
    revoke: ({ person }) => sql('update users set is_active = false where id = $1', person.id),
    outcomeAfterRevocation: 'unauthenticated',
  },
}

test.serial('access revoked on one node is immediately denied on the other, under load', (t) =>
  revokeRepeatedly(t, accessKinds, 1008),
)

test.serial(
  'inherited access revoked on one node is immediately denied on the other, under load',
  (t) => revokeRepeatedly(t, inheritedAccessKinds, 320),
)

async function revokeRepeatedly(
  t: ExecutionContext,
  kinds: Record<string, AccessKind>,
  rounds: number,
): Promise<void> {
  const [transport] = environment.transports as [Transport]
  const load = { isRunning: true }
  const lanes = await Promise.all(
    Object.entries(kinds).flatMap(([name, kind]) =>
      [environment, other].map(async (node, index) => {
        const fixture = await createWorkspaceFixture(environment, transport)
        const person = await fixture.addMember('viewer')
        const folders = kind.isNested && (await createFolders(fixture, person))
        const record = await fixture.register(fixture.people.owner, parentField(folders?.middle))
        const group = await seedGroup(fixture, record)
        const [writer, readers] = [
          repeatLockTimeouts(node.transports[index] as Transport),
          (index ? environment : other).transports,
        ]
        return { name, kind, readers, lane: { fixture, record, group, person, writer, folders } }
      }),
    ),
  )
  const deadline = performance.now() + timeLimit
  const loops = Promise.all(lanes.map(({ lane, readers }) => sendLoad(lane, readers, load)))

  const perLane = rounds / lanes.length
  const roundCounts = await Promise.all(
    lanes.map(async ({ name, kind, lane, readers }) => {
      let round = 0
      const isOver = () => round >= perLane / 10 && performance.now() >= deadline
      for (; round < perLane && !isOver(); round += 1) {
        const reader = readers[round % 2] as Transport
        await kind.grant(lane)
        const outcomeBefore = describeOutcome(await sendCheck(reader, lane))
        await kind.revoke(lane)
        const outcomeAfter = describeOutcome(await sendCheck(reader, lane))
        if (outcomeBefore !== 'true' || outcomeAfter !== kind.outcomeAfterRevocation)
          t.fail(`${name}, round ${round}: ${outcomeBefore} before, ${outcomeAfter} after`)
      }
      return round
    }),
  ).finally(() => {
    load.isRunning = false
  })
  await loops
  const total = roundCounts.reduce((sum, count) => sum + count, 0)
  t.log(`${total} rounds`)
  t.true(total >= rounds || performance.now() >= deadline)
  t.true(total >= rounds / 10)
}

async function createFolders(fixture: WorkspaceFixture, person: Member): Promise<Folders> {
  const { register, people } = fixture
  const top = await register(people.owner)
  const shared = await register(people.owner, parentField(top))
  const other = await register(people.owner, parentField(top))
  const middle = await register(people.owner, parentField(other))
  await fixture.share(people.owner, shared, { user: person.id }, 'view')
  return { shared, other, middle }
}

/** Returns the field `parent` of a registration. */
function parentField(parent: ResourceRecord | undefined): Record<string, unknown> {
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
async function sendLoad(
  lane: Lane,
  transports: Transport[],
  load: { isRunning: boolean },
): Promise<void> {
  const otherCaller = { ...lane, person: lane.fixture.people.editor }
  const unknownResource = { ...lane, record: { ...lane.record, resource_id: randomUUID() } }
  while (load.isRunning) {
    await sendCheck(transports[0] as Transport, otherCaller)
    await sendCheck(transports[0] as Transport, lane)
    await sendCheck(transports[0] as Transport, unknownResource)
  }
}
