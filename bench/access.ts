import pg from 'pg'
import {
  AccessServiceService,
  EvaluateBatchRequest,
  EvaluateBatchResponse,
  EvaluateRequest,
  Evaluation,
  SearchSubjectsRequest,
  SearchSubjectsResponse,
} from '../gen/daikon/v1/access.ts'
import { type CheckBatch, createCheckBatches } from './check-batches.ts'
import type { BenchProcess, ServerState } from './child-process.ts'
import { grpcHead } from './credentials.ts'
import { idOf, kind } from './data-set.ts'
import type { DriverJob, WriteTarget } from './driver.ts'
import { type BenchClient, createBenchClient } from './grpc-client.ts'
import type { Harness, Measurement } from './harness.ts'
import { grpcMessage } from './http2-frames.ts'
import { interleave, medianLoad, medianOf } from './rounds.ts'
import { formatLoad, formatNumber, type Row } from './table.ts'
import { fetchResponses, writeChecks, writeRequests } from './write-requests.ts'

const { evaluate, evaluateBatch, searchSubjects } = AccessServiceService
const accepted = Buffer.alloc(0)

/**
 * Measures the Access API: batches of evaluations compared with Check, and the subjects of a
 * visible resource.
 */
export async function measureAccess(harness: Harness, addRow: (row: Row) => void): Promise<void> {
  const daikon = harness.daikon()
  const { port } = await daikon.request<ServerState>({})
  const client = createBenchClient(port)
  try {
    await measureEvaluate(harness, daikon, client, addRow)
    await measureBatches(harness, daikon, client, addRow)
    await measureSubjects(harness, daikon, client, addRow)
  } finally {
    client.close()
  }
}

/** Compares Evaluate with Check of one item: the same questions to the same engine. */
async function measureEvaluate(
  harness: Harness,
  daikon: BenchProcess,
  client: BenchClient,
  addRow: (row: Row) => void,
): Promise<void> {
  const { database, quick, rounds, measure } = harness
  const batches = await createCheckBatches(database, 1, quick ? 100 : 2000)
  const checks = await fetchResponses(harness, daikon, batches)
  const checkFile = writeChecks(harness, 'access-check-1', checks).daikon
  const requests = []
  for (const batch of batches) {
    const [evaluation] = toEvaluations([batch])
    const body = EvaluateRequest.encode(EvaluateRequest.fromPartial({ ...evaluation })).finish()
    const bytes = await client.call(evaluate.path, undefined, body)
    if (batch.mustAllow[0] && !Evaluation.decode(bytes).decision)
      throw new Error('An evaluation is denied although the resource is shared')
    requests.push({ head: grpcHead(evaluate.path), body: grpcMessage(body), expected: bytes })
  }
  const evaluateFile = writeRequests(harness, 'access-evaluate-1', requests)
  const read = (file: string) => () =>
    measure(daikon, { kind: 'unary', inFlight: 64, files: [file] })
  const results = await interleave(rounds, {
    check: read(checkFile),
    evaluate: read(evaluateFile),
  })
  addRow({
    label: 'Evaluate, 64 in flight, compared with Check of 1 item',
    daikon: formatLoad(medianLoad(results, ({ evaluate }) => evaluate)),
    baseline: formatLoad(medianLoad(results, ({ check }) => check)),
    value: medianOf(results, ({ evaluate, check }) => evaluate.rate / check.rate),
    goal: { min: 0.91 },
  })
}

const users = 500
const items = 1000

/** Compares EvaluateBatch of 1,000 items about 500 users with Check of 1,000 items of one user. */
async function measureBatches(
  harness: Harness,
  daikon: BenchProcess,
  client: BenchClient,
  addRow: (row: Row) => void,
): Promise<void> {
  const { database, quick, rounds, measure } = harness
  const count = quick ? 4 : 16
  const checks = await fetchResponses(
    harness,
    daikon,
    await createCheckBatches(database, items, count),
  )
  const checkFile = writeChecks(harness, `access-check-${items}`, checks).daikon

  const requests = []
  const pairs = await createCheckBatches(database, items / users, count * users)
  for (let first = 0; first < pairs.length; first += users) {
    const batches = pairs.slice(first, first + users)
    const body = encodeEvaluations(batches)
    const bytes = await client.call(evaluateBatch.path, undefined, body)
    const { evaluations } = EvaluateBatchResponse.decode(bytes)
    const mustAllow = batches.flatMap((batch) => batch.mustAllow)
    if (
      evaluations.length !== items ||
      mustAllow.some((must, n) => must && !evaluations[n]?.decision)
    )
      throw new Error('An evaluation is denied although the resource is shared')
    const head = grpcHead(evaluateBatch.path)
    requests.push({ head, body: grpcMessage(body), expected: bytes })
  }
  const evaluateFile = writeRequests(harness, `access-evaluate-${items}`, requests)

  const read = (file: string) => () =>
    measure(daikon, { kind: 'unary', inFlight: 4, files: [file] })
  const results = await interleave(rounds, {
    check: read(checkFile),
    evaluate: read(evaluateFile),
  })
  addRow({
    label: `EvaluateBatch of 1,000 items about ${users} users, 4 in flight, compared with Check of 1,000`,
    daikon: formatLoad(medianLoad(results, ({ evaluate }) => evaluate)),
    baseline: formatLoad(medianLoad(results, ({ check }) => check)),
    value: medianOf(results, ({ evaluate, check }) => evaluate.rate / check.rate),
    goal: { min: 1 },
  })
}

function encodeEvaluations(batches: CheckBatch[]): Uint8Array {
  const evaluations = toEvaluations(batches)
  return EvaluateBatchRequest.encode(EvaluateBatchRequest.fromPartial({ evaluations })).finish()
}

function toEvaluations(batches: CheckBatch[]) {
  return batches.flatMap(({ user, checks }) =>
    checks.map(({ action, resource_id }) => ({
      subject: { type: 'user', id: idOf('u', user) },
      action: { name: action },
      resource: { type: kind.resource_type, id: resource_id },
    })),
  )
}

const memberCount = 100_000

/**
 * Compares reading pages of the users who may view a resource because of its visibility with
 * reading an indexed row.
 */
async function measureSubjects(
  harness: Harness,
  daikon: BenchProcess,
  client: BenchClient,
  addRow: (row: Row) => void,
): Promise<void> {
  const { database, seconds, rounds, measure } = harness
  const connection = new pg.Client({ connectionString: database.url })
  await connection.connect()
  try {
    await createVisibleResource(connection)
    const driver = harness.startProcess('driver.ts', database.url)
    const page = async (fields: object) => {
      const body = encodeSearch(fields)
      const bytes = await client.call(searchSubjects.path, undefined, body)
      const { results, page } = SearchSubjectsResponse.decode(bytes)
      if (results.length !== 100) throw new Error(`A page of ${results.length}`)
      const head = grpcHead(searchSubjects.path)
      return {
        token: page?.next_token,
        request: { head, body: grpcMessage(body), expected: accepted },
      }
    }
    const first = await page({ limit: 100 })
    const second = await page({ token: first.token })
    const file = writeRequests(harness, 'access-subjects', [first.request, second.request])
    const target = { resources: database.size.resources } as WriteTarget
    const results = await interleave(rounds, {
      page: () => measure(daikon, { kind: 'unary', inFlight: 1, files: [file] }),
      row: () =>
        driver.request<Measurement>({
          statement: 'row',
          inFlight: 1,
          seconds,
          target,
        } satisfies DriverJob),
    })
    addRow({
      label: `a page of 100 of the ${formatNumber(memberCount)} users who see a resource, compared with a row by its index`,
      daikon: `p50 ${formatNumber(medianOf(results, ({ page }) => page.p50))} ms`,
      baseline: `p50 ${formatNumber(medianOf(results, ({ row }) => row.p50))} ms`,
      value: medianOf(results, ({ page, row }) => page.p50 / row.p50),
      goal: { max: 10 },
    })
  } finally {
    await removeVisibleResource(connection)
    await connection.end()
  }
}

export const visible = { workspace: idOf('w', 1_000_000), resource: idOf('r', 3_000_000_000) }

function encodeSearch(page: object): Uint8Array {
  const request = {
    subject: { type: 'user' },
    action: { name: 'view' },
    resource: { type: kind.resource_type, id: visible.resource },
    page,
  }
  return SearchSubjectsRequest.encode(SearchSubjectsRequest.fromPartial(request)).finish()
}

/** Creates a workspace with a resource that all its members may view. */
export async function createVisibleResource(connection: pg.Client): Promise<void> {
  await removeVisibleResource(connection)
  await connection.query(
    `insert into users (id, email, name)
     select md5('s' || n)::uuid, 'subject' || n || '@example.com', 'Subject ' || n
     from generate_series(1, $1::int) n`,
    [memberCount],
  )
  await connection.query(
    `insert into workspaces (id, name, slug) values ($1, 'Subjects', 'subjects')`,
    [visible.workspace],
  )
  await connection.query(
    `insert into members (user_id, workspace_id, role, joined_at)
     select md5('s' || n)::uuid, $1, 'viewer', now() from generate_series(1, $2::int) n`,
    [visible.workspace, memberCount],
  )
  await connection.query(
    `insert into resources (id, kind_id, resource_id, workspace_id, owner_id, visibility)
     select $1, k.id, $1, $2, md5('s1')::uuid, 'workspace' from resource_kinds k
     where k.service_name = $3 and k.resource_type = $4`,
    [visible.resource, visible.workspace, kind.service_name, kind.resource_type],
  )
  await connection.query('vacuum (analyze) users, members, resources')
}

export async function removeVisibleResource(connection: pg.Client): Promise<void> {
  await connection.query('delete from resources where workspace_id = $1', [visible.workspace])
  await connection.query('delete from members where workspace_id = $1', [visible.workspace])
  await connection.query('delete from workspaces where id = $1', [visible.workspace])
  // No server sweeps the data set, so that the ID could not be used again.
  await connection.query('delete from deleted_workspaces where id = $1', [visible.workspace])
  await connection.query(`delete from users where email like 'subject%@example.com'`)
}
