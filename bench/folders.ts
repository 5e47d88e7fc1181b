import pg from 'pg'
import {
  AccessibleResourcesRequest,
  PermissionServiceService,
  ShareRequest,
  UnregisterRequest,
  UpdateParentRequest,
} from '../gen/daikon/v1/permissions.ts'
import { openExtraDatabase } from './bench-database.ts'
import type { CheckBatch } from './check-batches.ts'
import type { BenchProcess, ServerState } from './child-process.ts'
import { grpcHead } from './credentials.ts'
import { idOf } from './data-set.ts'
import { smallSize } from './data-set-size.ts'
import type { DriverJob, WriteTarget } from './driver.ts'
import {
  admin,
  besideFolders,
  bigFolder,
  chains,
  doomedFolder,
  flat,
  folderSql,
  inheritedRequirementSql,
  reader,
  treeSql,
  viewer,
  workspace,
} from './folders-data.ts'
import { type BenchClient, createBenchClient } from './grpc-client.ts'
import type { Harness, Measurement } from './harness.ts'
import { grpcMessage } from './http2-frames.ts'
import { interleave, medianLoad, medianOf } from './rounds.ts'
import { formatLoad, formatNumber, type Row } from './table.ts'
import { fetchResponses, writeChecks, writeRequests } from './write-requests.ts'

const inFlight = 64
const { accessible, share, unregister, updateParent } = PermissionServiceService
const service_name = 'docs'

/**
 * Compares resources in folders with resources without folders, and measures changes of a folder
 * with 100,000 descendants.
 */
export async function measureFolders(harness: Harness, addRow: (row: Row) => void): Promise<void> {
  const size = harness.quick ? 2000 : 100_000
  const url = await openExtraDatabase(harness.database, 'folders', folderSql(size))
  const server = harness.daikon(url)
  const requiringUrl = await openExtraDatabase(harness.database, 'requiring-folders', [
    ...folderSql(size),
    ...inheritedRequirementSql,
  ])
  const requiring = harness.daikon(requiringUrl)
  await measureChecks(harness, server, requiring, addRow)
  await measurePage(harness, { server, requiring, url }, size, addRow)
  const { port } = await server.request<ServerState>({})
  const client = createBenchClient(port)
  const database = new pg.Client({ connectionString: url })
  await database.connect()
  try {
    // The next run creates the data again, because the rest of this one changes it.
    await database.query('comment on schema public is null')
    const token = await harness.signToken(admin, workspace)
    const send = createSender(client, token)
    await measureChanges(harness, send, size, addRow)
    await measureDeletion(database, send, size, addRow)
  } finally {
    client.close()
    await database.end()
  }
}

async function measureChecks(
  harness: Harness,
  server: BenchProcess,
  requiring: BenchProcess,
  addRow: (row: Row) => void,
): Promise<void> {
  const prepare = async (
    name: string,
    type: string,
    numberOf: (n: number) => number,
    asked = server,
  ) => {
    const batches = Array.from({ length: harness.quick ? 100 : 1000 }, (_, n): CheckBatch => {
      const resource_id = idOf('r', numberOf(n))
      const checks = [{ service_name, resource_type: type, resource_id, action: 'view' }]
      return { user: viewer(n), workspace, checks, mustAllow: [true] }
    })
    const { daikon } = writeChecks(harness, name, await fetchResponses(harness, asked, batches))
    return () => harness.measure(asked, { kind: 'unary', inFlight, files: [daikon] })
  }
  const { first, length } = chains
  const last = (n: number) => first + n * length + length - 1
  const results = await interleave(harness.rounds, {
    flat: await prepare('flat', flat.type, (n) => flat.first + n),
    beside: await prepare('beside', besideFolders.type, (n) => besideFolders.first + n),
    deep: await prepare('deep', chains.type, last),
    requiring: await prepare('requiring', chains.type, last, requiring),
  })
  const baseline = formatLoad(medianLoad(results, ({ flat }) => flat))
  addRow({
    label: `a resource with ${length - 1} ancestors compared with one of a type without folders`,
    daikon: formatLoad(medianLoad(results, ({ deep }) => deep)),
    baseline,
    value: medianOf(results, ({ deep, flat }) => deep.rate / flat.rate),
    goal: { min: 0.6 },
  })
  addRow({
    label:
      'a resource without a parent, of a type with folders, compared with one of a type without',
    daikon: formatLoad(medianLoad(results, ({ beside }) => beside)),
    baseline,
    value: medianOf(results, ({ beside, flat }) => beside.rate / flat.rate),
  })
  addRow({
    label: `a resource with ${length - 1} ancestors of a type with an inherited requirement, compared with one of a type without`,
    daikon: formatLoad(medianLoad(results, ({ requiring }) => requiring)),
    baseline: formatLoad(medianLoad(results, ({ deep }) => deep)),
    value: medianOf(results, ({ requiring, deep }) => requiring.rate / deep.rate),
    goal: { min: 0.6 },
  })
}

async function measurePage(
  harness: Harness,
  { server, requiring, url }: { server: BenchProcess; requiring: BenchProcess; url: string },
  size: number,
  addRow: (row: Row) => void,
): Promise<void> {
  const token = await harness.signToken(reader, workspace)
  const prepare = async (name: string, asked: BenchProcess, limit = 1000) => {
    const body = AccessibleResourcesRequest.encode({
      service_name,
      resource_type: bigFolder.type,
      action: 'view',
      workspace_id: idOf('w', workspace),
      limit,
    }).finish()
    const { port } = await asked.request<ServerState>({})
    const client = createBenchClient(port)
    const expected = await client.call(accessible.path, token, body)
    client.close()
    const head = grpcHead(accessible.path, token)
    const prepared = [{ head, body: grpcMessage(body), expected }]
    const files = [writeRequests(harness, name, prepared)]
    return () => harness.measure(asked, { kind: 'unary', inFlight: 1, files })
  }
  const driver = harness.startProcess('driver.ts', url)
  const target = { resources: smallSize.resources, workspace } as WriteTarget
  const { seconds } = harness
  const read = (statement: DriverJob['statement']) => () =>
    driver.request<Measurement>({ statement, inFlight: 1, seconds, target } satisfies DriverJob)
  const results = await interleave(harness.rounds, {
    page: await prepare('accessible-folder', server),
    requiring: await prepare('accessible-requiring', requiring),
    short: await prepare('accessible-short', server, 20),
    shortRequiring: await prepare('accessible-short-requiring', requiring, 20),
    ids: read('thousand ids'),
    row: read('row'),
  })
  const pairs = [
    { length: '1,000', requiring: 'requiring', without: 'page' },
    { length: '20', requiring: 'shortRequiring', without: 'short' },
  ] as const
  for (const { length, requiring, without } of pairs)
    addRow({
      label: `a page of ${length} with an inherited requirement that everything meets, compared with without`,
      daikon: `p50 ${formatNumber(medianOf(results, (round) => round[requiring].p50))} ms`,
      baseline: `p50 ${formatNumber(medianOf(results, (round) => round[without].p50))} ms`,
      value: medianOf(results, (round) => round[requiring].p50 / round[without].p50),
    })
  const baselines = { 'a read of 1,000 IDs by index': 'ids', 'a row by its index': 'row' } as const
  for (const [label, name] of Object.entries(baselines)) {
    addRow({
      label: `first page of 1,000 for one share of a folder with ${formatNumber(size)} descendants, compared with ${label}`,
      daikon: `p50 ${formatNumber(medianOf(results, ({ page }) => page.p50))} ms`,
      baseline: `p50 ${formatNumber(medianOf(results, (round) => round[name].p50))} ms`,
      value: medianOf(results, (round) => round.page.p50 / round[name].p50),
      ...(name === 'ids' && { goal: { max: 10 } }),
    })
  }
}

type Send = ReturnType<typeof createSender>

/**
 * Creates functions that change the nth resource as an admin and return the elapsed milliseconds.
 */
function createSender(client: BenchClient, token: string) {
  const timed = async (path: string, body: Uint8Array) => {
    const start = performance.now()
    await client.call(path, token, body)
    return performance.now() - start
  }
  return {
    move: (resource: number, parent: number) => {
      const resource_id = idOf('r', parent)
      const names = { resource_type: bigFolder.type, resource_id }
      const message = { permission_id: idOf('r', resource), parent: names }
      return timed(updateParent.path, UpdateParentRequest.encode(message).finish())
    },
    share: (resource: number, user: number) => {
      const grantee = { grantee_type: 'user', grantee_id: idOf('u', user), permission: 'view' }
      const message = { permission_id: idOf('r', resource), ...grantee }
      return timed(share.path, ShareRequest.encode(message).finish())
    },
    unregister: (resource: number) => {
      const message = { permission_id: idOf('r', resource), cascade: true }
      return timed(unregister.path, UnregisterRequest.encode(message).finish())
    },
  }
}

/** Compares moving and sharing the big folder with moving and sharing a single resource. */
async function measureChanges(
  { quick }: Harness,
  send: Send,
  size: number,
  addRow: (row: Row) => void,
): Promise<void> {
  const leaf = besideFolders.first
  const target = (n: number) => chains.first + (n % 2) * chains.length
  const kinds = {
    move: (resource: number, n: number) => send.move(resource, target(n)),
    share: (resource: number, n: number) => send.share(resource, viewer(n)),
  }
  for (const [name, change] of Object.entries(kinds)) {
    const results = await interleave(quick ? 4 : 20, {
      big: (round) => change(bigFolder.first, round),
      single: (round) => change(leaf, round),
    })
    const [big, single] = [
      medianOf(results, ({ big }) => big),
      medianOf(results, ({ single }) => single),
    ]
    addRow({
      label: `${name} a folder with ${formatNumber(size)} descendants, compared with a resource without any`,
      daikon: `p50 ${formatNumber(big)} ms`,
      baseline: `p50 ${formatNumber(single)} ms`,
      value: big / single,
    })
  }
}

/** Deletes a folder with all its descendants while another resource of the workspace is moved. */
async function measureDeletion(
  database: pg.Client,
  send: Send,
  size: number,
  addRow: (row: Row) => void,
): Promise<void> {
  await database.query('set session_replication_role = replica')
  await database.query(treeSql(doomedFolder, size))
  await database.query('set session_replication_role = origin')
  const moveOther = (turn: number) =>
    send.move(besideFolders.first + 1, chains.first + (turn % 2) * chains.length)
  const before: number[] = []
  for (let turn = 0; turn < 20; turn += 1) before.push(await moveOther(turn))
  let isDone = false
  const deletion = send.unregister(doomedFolder.first).finally(() => {
    isDone = true
  })
  const during: number[] = []
  for (let turn = 0; !isDone; turn += 1) during.push(await moveOther(turn))
  const slowest = Math.max(...during)
  addRow({
    label: `unregister a folder with ${formatNumber(size)} descendants: slowest move of another resource in the workspace`,
    daikon: `${formatNumber((await deletion) / 1000)} s, ${during.length} moves, p50 ${formatNumber(medianOf(during, (time) => time))} ms`,
    baseline: `p50 ${formatNumber(medianOf(before, (time) => time))} ms before`,
    value: slowest,
    unit: ' ms',
    goal: { max: 1000 },
  })
}
