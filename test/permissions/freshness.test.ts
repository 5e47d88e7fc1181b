import { randomUUID } from 'node:crypto'
import test from 'ava'
import type { Door, Ending } from '../support/doors.ts'
import { answered } from '../support/ending.ts'
import { type Office, openOffice, type Person, type ResourceRecord } from '../support/office.ts'
import { startWorld } from '../support/world.ts'

const world = await startWorld()
const other = await world.another()
test.after.always(() => world.stop())

/** How often something is taken back in all, and the milliseconds that may take on a slow machine. */
const rounds = 1008
const longest = 20_000

/** Somebody with one right, which is given and taken in turns; writes go through `writer`. */
type Lane = {
  office: Office
  person: Person
  record: ResourceRecord
  group: string
  writer: Door
}

/** How a right is given, how it is taken away with an acknowledgement, and how that shows. */
type Right = {
  give(lane: Lane): Promise<unknown>
  take(lane: Lane): Promise<unknown>
  refused: 'false' | 'unauthenticated'
}

const sql = (text: string, ...values: unknown[]) => world.pool.query(text, values)

const grantee = ({ person, record }: Lane) => {
  const whom = { grantee_type: 'user', grantee_id: person.id, permission: 'view' }
  return { permission_id: record.id, ...whom }
}
const setVisibility = async ({ writer, office, record }: Lane, visibility: string) => {
  const message = { permission_id: record.id, visibility }
  answered(await writer.call('UpdateVisibility', message, { key: office.key }))
}

const rights: Record<string, Right> = {
  share: {
    give: async (lane) => {
      const { staff, as } = lane.office
      answered(await lane.writer.call('Share', grantee(lane), as(staff.owner)))
    },
    take: async (lane) => {
      answered(await lane.writer.call('RevokeShare', grantee(lane), { key: lane.office.key }))
    },
    refused: 'false',
  },
  visibility: {
    give: (lane) => setVisibility(lane, 'workspace'),
    take: (lane) => setVisibility(lane, 'private'),
    refused: 'false',
  },
  'group membership': {
    give: ({ group, person, office }) =>
      sql(
        'insert into group_members (group_id, user_id, workspace_id) values ($1, $2, $3)',
        ...[group, person.id, office.workspace],
      ),
    take: ({ group, person }) =>
      sql('delete from group_members where group_id = $1 and user_id = $2', group, person.id),
    refused: 'false',
  },
  'membership of its owner': {
    give: ({ office, person }) =>
      sql(
        `insert into members (workspace_id, user_id, role) values ($1, $2, 'owner')
         on conflict (user_id, workspace_id) do update set role = 'owner'`,
        ...[office.workspace, person.id],
      ),
    take: ({ person }) => sql('delete from members where user_id = $1', person.id),
    refused: 'false',
  },
  role: {
    give: ({ person }) => sql(`update members set role = 'admin' where user_id = $1`, person.id),
    take: ({ person }) => sql(`update members set role = 'viewer' where user_id = $1`, person.id),
    refused: 'false',
  },
  'service key': {
    give: async (lane) => {
      await sql('update service_apps set is_active = true where id = $1', lane.office.appId)
      await sql(`update members set role = 'admin' where user_id = $1`, lane.person.id)
    },
    take: ({ office }) =>
      sql('update service_apps set is_active = false where id = $1', office.appId),
    refused: 'unauthenticated',
  },
  token: {
    give: async (lane) => {
      await sql(`update members set role = 'admin' where user_id = $1`, lane.person.id)
      lane.person.token = await world.token(lane.person.id, lane.office.workspace)
    },
    take: async ({ writer, person }) => {
      answered(await writer.call('Logout', {}, { token: person.token }))
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

test(`taken back on one node, refused on the other from the acknowledgement on, ${rounds} times under load`, async (t) => {
  const [door] = world.doors as [Door]
  const busy = { now: true }
  const deadline = performance.now() + longest
  const lanes = await Promise.all(
    Object.entries(rights).flatMap(([name, right]) =>
      [world, other].map(async (node, at) => {
        const office = await openOffice(world, door)
        const record = await office.register(office.staff.owner)
        const group = await seedGroup(office, record)
        const person = await office.hire('viewer')
        const [writer, readers] = [node.doors[at] as Door, (at ? world : other).doors]
        return { name, right, readers, lane: { office, record, group, person, writer } }
      }),
    ),
  )
  const load = Promise.all(lanes.map(({ lane, readers }) => keepBusy(lane, readers, busy)))

  const perLane = rounds / lanes.length
  const done = await Promise.all(
    lanes.map(async ({ name, right, lane, readers }) => {
      let round = 0
      for (; round < perLane && performance.now() < deadline; round += 1) {
        const reader = readers[round % 2] as Door
        await right.give(lane)
        const before = tell(await ask(reader, lane))
        await right.take(lane)
        const after = tell(await ask(reader, lane))
        if (before !== 'true' || after !== right.refused)
          t.fail(`${name}, round ${round}: ${before} before, ${after} after`)
      }
      return round
    }),
  )
  busy.now = false
  await load
  const total = done.reduce((sum, count) => sum + count, 0)
  t.log(`${total} rounds`)
  t.true(total >= rounds || performance.now() >= deadline)
  t.true(total >= rounds / 10)
})

async function seedGroup(office: Office, record: ResourceRecord): Promise<string> {
  const group = await world.seed.group(office.workspace)
  await office.share(office.staff.owner, record, { group }, 'view')
  return group
}

function ask(door: Door, { office, person, record }: Lane): Promise<Ending> {
  const checks = [{ ...office.kind, resource_id: record.resource_id, action: 'view' }]
  return door.call('Check', { checks }, { token: person.token, key: office.key })
}

function tell(ending: Ending): string {
  return ending.ok ? String(ending.message.results[0].allowed) : ending.kind
}

/** Asks the same things over and over, so that every statement is shared with somebody. */
async function keepBusy(lane: Lane, doors: Door[], busy: { now: boolean }): Promise<void> {
  const noise = { ...lane, person: lane.office.staff.editor }
  const stranger = { ...lane, record: { ...lane.record, resource_id: randomUUID() } }
  while (busy.now) {
    await ask(doors[0] as Door, noise)
    await ask(doors[0] as Door, lane)
    await ask(doors[0] as Door, stranger)
  }
}
