import { randomUUID } from 'node:crypto'
import pg from 'pg'
import {
  PermissionServiceService,
  RegisterResourceRequest,
  ShareRequest,
} from '../gen/daikon/v1/permissions.ts'
import type { Child } from './children.ts'
import { grpcHead } from './credentials.ts'
import { crowdOf } from './crowd.ts'
import { idOf, kind, type Size } from './data-set.ts'
import type { DriverJob } from './driver.ts'
import { grpcMessage } from './http2-frames.ts'
import type { Prepared } from './prepared.ts'
import { write } from './requests.ts'
import type { Measured, Rig } from './rig.ts'
import { interleave, medianOf, middleOf } from './rounds.ts'
import { load, type Row } from './table.ts'

/** What the bare driver writes about: a kind of its own, whose rows go when all is measured. */
export type Written = Size &
  Pick<ReturnType<typeof crowdOf>, 'firstUser' | 'members' | 'workspace'> & {
    kindId: number
    shareable: { id: string; resource_id: string }[]
  }

const type = 'written'
const inFlight = 16

/** Enough for a measurement, each to be sent once. */
const mostWritten = 40_000

const { register, share } = PermissionServiceService

/** Register and Share beside a bare INSERT of the same rows, and many writers of one resource. */
export async function measureWrites(rig: Rig, tell: (row: Row) => void): Promise<void> {
  const { place, seconds, rounds } = rig
  const client = new pg.Client({ connectionString: place.url })
  await client.connect()
  const driver = rig.child('driver.ts', place.url)
  const daikon = rig.daikon()
  try {
    const { ours, bare } = await prepare(client, place.size)
    const { firstUser, members, workspace } = bare
    // Who owns the shared resources.
    const token = await rig.sign(firstUser + members - 1, workspace)
    const insert = (what: DriverJob['what']) =>
      driver.ask<Measured>({ what, inFlight, seconds, written: bare })

    const registered = await interleave(rounds, {
      daikon: (round) => writeOnce(rig, daikon, `register-${round}`, registrations(bare, token)),
      bare: () => insert('resource'),
    })
    tell(beside('Register', registered))

    let sent = 0
    const shared = await interleave(rounds, {
      daikon: (round) => {
        const requests = shares(ours, bare, token, sent)
        sent += mostWritten
        return writeOnce(rig, daikon, `share-${round}`, requests)
      },
      bare: () => insert('share'),
    })
    tell(beside('Share', shared))

    const [one, ...others] = ours
    if (!one) throw new Error('nothing to share')
    const crowded = await interleave(rounds, {
      one: () => writeOnce(rig, daikon, 'share-one', shares([one], bare, token, 0), 50),
      many: (round) => {
        const requests = shares(others, bare, token, sent + round * mostWritten)
        return writeOnce(rig, daikon, 'share-many', requests, 50)
      },
    })
    tell({
      what: 'Share by 50 writers of one resource, all answered, beside 50 of many',
      daikon: load(middleOf(crowded, ({ one }) => one)),
      beside: load(middleOf(crowded, ({ many }) => many)),
      value: medianOf(crowded, ({ one, many }) => one.rate / many.rate),
    })
    const { rows } = await client.query('select count(*) from shares where resource_id = $1', [
      one.resource_id,
    ])
    const writes = crowded.map(({ one }) => one.calls)
    const lost = Math.max(0, Math.min(members, Math.max(...writes)) - Number(rows[0].count))
    tell({
      what: 'its shares that are not there',
      daikon: `${rows[0].count} shares`,
      beside: '',
      value: lost,
      goal: { most: 0 },
    })
  } finally {
    await forget(client)
    await client.end()
  }
}

/** A wrong answer of any one fails the measurement. */
function writeOnce(
  rig: Rig,
  daikon: Child,
  name: string,
  requests: Prepared[],
  writers = inFlight,
): Promise<Measured> {
  const files = [write(rig, name, requests)]
  return rig.measure(daikon, { kind: 'unary', inFlight: writers, files, once: true })
}

/** Resources to share, half of them for the bare driver. */
async function prepare(client: pg.Client, size: Size) {
  await forget(client)
  const { firstUser, members, workspace } = crowdOf(size)
  const { rows: kinds } = await client.query(
    'insert into resource_kinds (service_name, resource_type) values ($1, $2) returning id',
    [kind.service_name, type],
  )
  const kindId: number = kinds[0].id
  const { rows } = await client.query<Written['shareable'][number]>(
    `insert into resources (id, kind_id, resource_id, workspace_id, owner_id, visibility)
     select gen_random_uuid(), $1, gen_random_uuid(), $2, $3, 'private'
     from generate_series(1, 1000) returning id, resource_id`,
    [kindId, idOf('w', workspace), idOf('u', firstUser + members - 1)],
  )
  const about = { ...size, firstUser, members, workspace, kindId }
  const bare: Written = { ...about, shareable: rows.slice(rows.length / 2) }
  return { ours: rows.slice(0, rows.length / 2), bare }
}

function registrations({ users, workspaces }: Written, token: string): Prepared[] {
  const head = grpcHead(register.path, token)
  return Array.from({ length: mostWritten }, (_, n) => {
    const user = n % users
    const request = {
      service_name: kind.service_name,
      resource_type: type,
      resource_id: randomUUID(),
      workspace_id: idOf('w', user % workspaces),
      owner_id: idOf('u', user),
    }
    return prepared(head, RegisterResourceRequest.encode(request).finish())
  })
}

/** Each resource with each member of the crowd, from the `from`th pair on. */
function shares(
  resources: Written['shareable'],
  { firstUser, members }: Written,
  token: string,
  from: number,
): Prepared[] {
  const head = grpcHead(share.path, token)
  return Array.from({ length: mostWritten }, (_, n) => {
    const pair = from + n
    const member = Math.floor(pair / resources.length) % members
    const request = {
      permission_id: resources[pair % resources.length]?.id ?? '',
      grantee_type: 'user',
      grantee_id: idOf('u', firstUser + member),
      permission: 'view',
    }
    return prepared(head, ShareRequest.encode(request).finish())
  })
}

function prepared(head: Buffer, message: Uint8Array): Prepared {
  return { head, body: grpcMessage(message), expected: Buffer.alloc(0) }
}

/** Leaves the data set as it was. */
async function forget(client: pg.Client): Promise<void> {
  const { rows } = await client.query('select id from resource_kinds where resource_type = $1', [
    type,
  ])
  for (const { id } of rows) {
    await client.query('delete from shares where kind_id = $1', [id])
    await client.query('delete from resources where kind_id = $1', [id])
    await client.query('delete from resource_kinds where id = $1', [id])
  }
  await client.query('truncate activity')
}

function beside(what: string, taken: Record<'daikon' | 'bare', Measured>[]): Row {
  return {
    what: `${what}, ${inFlight} in flight, beside a bare INSERT`,
    daikon: load(middleOf(taken, ({ daikon }) => daikon)),
    beside: load(middleOf(taken, ({ bare }) => bare)),
    value: medianOf(taken, ({ daikon, bare }) => daikon.rate / bare.rate),
    goal: { least: 0.5 },
  }
}
