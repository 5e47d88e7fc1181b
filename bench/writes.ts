import { randomUUID } from 'node:crypto'
import pg from 'pg'
import {
  PermissionServiceService,
  RegisterResourceRequest,
  ShareRequest,
} from '../gen/daikon/v1/permissions.ts'
import type { BenchProcess } from './child-process.ts'
import { grpcHead } from './credentials.ts'
import { deleteResourceType, idOf, kind } from './data-set.ts'
import { largeWorkspaceOf, type Size } from './data-set-size.ts'
import type { DriverJob, WriteTarget } from './driver.ts'
import type { Harness, Measurement } from './harness.ts'
import { grpcMessage } from './http2-frames.ts'
import type { PreparedRequest } from './prepared-requests.ts'
import { interleave, medianLoad, medianOf } from './rounds.ts'
import { formatLoad, type Row } from './table.ts'
import { writeRequests } from './write-requests.ts'

const type = 'written'
const inFlight = 16

/** The number of prepared requests, which is enough for one measurement. Each is sent once. */
const maxWrites = 40_000

const { register, share } = PermissionServiceService

/**
 * Compares Register and Share with INSERTs of the same rows, and measures concurrent writers of one
 * resource.
 */
export async function measureWrites(harness: Harness, addRow: (row: Row) => void): Promise<void> {
  const { database, seconds, rounds } = harness
  const client = new pg.Client({ connectionString: database.url })
  await client.connect()
  const driver = harness.startProcess('driver.ts', database.url)
  const daikon = harness.daikon()
  try {
    const { resources, driverTarget } = await prepareWrites(client, database.size)
    const { firstUser, members, workspace } = driverTarget
    // The token of the owner of the shared resources.
    const token = await harness.signToken(firstUser + members - 1, workspace)
    const insert = (statement: DriverJob['statement']) =>
      driver.request<Measurement>({
        statement,
        inFlight,
        seconds,
        target: driverTarget,
      } satisfies DriverJob)

    const registered = await interleave(rounds, {
      daikon: (round) =>
        writeOnce(harness, daikon, `register-${round}`, registrations(driverTarget, token)),
      bare: () => insert('resource'),
    })
    addRow(baseline('Register', registered))

    let sent = 0
    const shareEach = async (
      resources: WriteTarget['shareable'],
      name: string,
      writers?: number,
    ) => {
      const requests = shares(resources, driverTarget, token, sent)
      const result = await writeOnce(harness, daikon, name, requests, writers)
      sent += result.calls
      return result
    }
    const shared = await interleave(rounds, {
      daikon: (round) => shareEach(resources, `share-${round}`),
      bare: () => insert('share'),
    })
    addRow(baseline('Share', shared))

    const [one, ...others] = resources
    if (!one) throw new Error('No resource to share')
    const crowded = await interleave(rounds, {
      one: () => writeOnce(harness, daikon, 'share-one', shares([one], driverTarget, token, 0), 50),
      many: () => shareEach(others, 'share-many', 50),
    })
    addRow({
      label: 'Share by 50 writers of one resource, compared with 50 writers of many',
      daikon: formatLoad(medianLoad(crowded, ({ one }) => one)),
      baseline: formatLoad(medianLoad(crowded, ({ many }) => many)),
      value: medianOf(crowded, ({ one, many }) => one.rate / many.rate),
    })
    const { rows } = await client.query('select count(*) from shares where resource_id = $1', [
      one.resource_id,
    ])
    const writes = crowded.map(({ one }) => one.calls)
    const lost = Math.max(0, Math.min(members, Math.max(...writes)) - Number(rows[0].count))
    addRow({
      label: 'acknowledged shares that are missing',
      daikon: `${rows[0].count} shares`,
      baseline: '',
      value: lost,
      goal: { max: 0 },
    })
  } finally {
    await deleteWrites(client)
    await client.end()
  }
}

export function writeOnce(
  harness: Harness,
  daikon: BenchProcess,
  name: string,
  requests: PreparedRequest[],
  writers = inFlight,
): Promise<Measurement> {
  const files = [writeRequests(harness, name, requests)]
  return harness.measure(daikon, { kind: 'unary', inFlight: writers, files, once: true })
}

/** The number of pairs of a resource and a member that a process shares at least, each once. */
const minPairs = 250_000

/** Creates resources to share, half of them for the driver. */
export async function prepareWrites(client: pg.Client, size: Size) {
  await deleteWrites(client)
  const { firstUser, members, workspace } = largeWorkspaceOf(size)
  const { rows: kinds } = await client.query(
    'insert into resource_kinds (service_name, resource_type) values ($1, $2) returning id',
    [kind.service_name, type],
  )
  const kindId: number = kinds[0].id
  const count = 2 * Math.max(500, minPairs / members)
  const { rows } = await client.query<WriteTarget['shareable'][number]>(
    `insert into resources (id, kind_id, resource_id, workspace_id, owner_id, visibility)
     select gen_random_uuid(), $1, gen_random_uuid(), $2, $3, 'private'
     from generate_series(1, $4) returning id, resource_id`,
    [kindId, idOf('w', workspace), idOf('u', firstUser + members - 1), count],
  )
  const target = { ...size, firstUser, members, workspace, kindId }
  const driverTarget: WriteTarget = { ...target, shareable: rows.slice(rows.length / 2) }
  return { resources: rows.slice(0, rows.length / 2), driverTarget }
}

export function registrations(
  { users, workspaces }: WriteTarget,
  token: string,
): PreparedRequest[] {
  const head = grpcHead(register.path, token)
  return Array.from({ length: maxWrites }, (_, n) => {
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

/** Pairs each resource with each member of the large workspace, starting with pair `from`. */
export function shares(
  resources: WriteTarget['shareable'],
  { firstUser, members }: WriteTarget,
  token: string,
  from: number,
): PreparedRequest[] {
  const head = grpcHead(share.path, token)
  return Array.from({ length: maxWrites }, (_, n) => {
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

function prepared(head: Buffer, message: Uint8Array): PreparedRequest {
  return { head, body: grpcMessage(message), expected: Buffer.alloc(0) }
}

/** Restores the data set. */
export async function deleteWrites(client: pg.Client): Promise<void> {
  await deleteResourceType(client, type)
  await client.query('truncate activity')
}

function baseline(label: string, results: Record<'daikon' | 'bare', Measurement>[]): Row {
  return {
    label: `${label}, ${inFlight} in flight, compared with an INSERT`,
    daikon: formatLoad(medianLoad(results, ({ daikon }) => daikon)),
    baseline: formatLoad(medianLoad(results, ({ bare }) => bare)),
    value: medianOf(results, ({ daikon, bare }) => daikon.rate / bare.rate),
    goal: { min: 0.5 },
  }
}
