import { randomUUID } from 'node:crypto'
import pg from 'pg'
import {
  AccessibleResourcesRequest,
  PermissionServiceService,
} from '../gen/daikon/v1/permissions.ts'
import { defaultFactsCacheBytes } from '../src/permissions/engine/engine.ts'
import { type CheckBatch, createCheckBatches } from './check-batches.ts'
import type { BenchProcess, ServerState } from './child-process.ts'
import { createDelegatedSigner, type Delegations, grpcHead } from './credentials.ts'
import { idOf, kind, readers } from './data-set.ts'
import { createBenchClient } from './grpc-client.ts'
import type { Harness, Measurement } from './harness.ts'
import { grpcMessage } from './http2-frames.ts'
import { interleave, medianLoad, medianOf } from './rounds.ts'
import { formatLoad, formatNumber, type Row } from './table.ts'
import { fetchResponses, writeChecks, writeRequests } from './write-requests.ts'

/** The actions that the delegations cover. */
const actions = ['view', 'edit', 'manage']

/** The maximum number of resources of a delegation. */
const maxResources = 100

/** An agent may take this many times as long as its user. */
const goal = { max: 1.15 }

/** Compares Check and Accessible by agents with the same questions of their users. */
export async function measureDelegations(
  harness: Harness,
  addRow: (row: Row) => void,
): Promise<void> {
  const { database, quick, rounds } = harness
  const batches = await createCheckBatches(database, 1, quick ? 100 : 2000)
  const client = new pg.Client({ connectionString: database.url })
  await client.connect()
  try {
    const ofActions = await delegate(client, batches, false)
    const ofResources = await delegate(client, batches, true)
    const server = harness.daikon()
    const filesOf = async (name: string, signToken = harness.signToken) =>
      writeChecks(harness, name, await fetchResponses({ signToken }, server, batches)).daikon
    const signerOf = (delegations: Delegations) => createDelegatedSigner(database, delegations)
    const files = {
      user: await filesOf('users'),
      agent: await filesOf('agents', await signerOf(ofActions)),
      resources: await filesOf('agents-of-resources', await signerOf(ofResources)),
    }
    const memory = harness.daikon(database.url, defaultFactsCacheBytes)
    await compareChecks(harness, server, files, '', addRow)
    await compareChecks(harness, memory, files, ', facts in memory', addRow)
    await comparePages(harness, client, server, rounds, addRow)
  } finally {
    await client.end()
  }
}

type Files = Record<'user' | 'agent' | 'resources', string>

/** Compares the rates, which also show what PostgreSQL does. */
async function compareChecks(
  { rounds, measure }: Harness,
  server: BenchProcess,
  files: Files,
  where: string,
  addRow: (row: Row) => void,
): Promise<void> {
  const read = (file: string) => () =>
    measure(server, { kind: 'unary', inFlight: 64, files: [file] })
  const results = await interleave(rounds, {
    user: read(files.user),
    agent: read(files.agent),
    resources: read(files.resources),
  })
  const covered = { agent: 'of actions', resources: `of ${maxResources} resources` }
  for (const [name, of] of Object.entries(covered) as ['agent' | 'resources', string][])
    addRow({
      label: `Check of 1 item by a delegation ${of}, 64 in flight${where}: time compared with the user`,
      daikon: formatLoad(medianLoad(results, (round) => round[name])),
      baseline: formatLoad(medianLoad(results, ({ user }) => user)),
      value: medianOf(results, (round) => round.user.rate / round[name].rate),
      goal,
    })
}

/** Compares pages of the reader with the second fewest shares. */
async function comparePages(
  harness: Harness,
  client: pg.Client,
  server: BenchProcess,
  rounds: number,
  addRow: (row: Row) => void,
): Promise<void> {
  const { database, measure } = harness
  const user = database.size.users + 1
  const reader = readers(database.size)[1]
  const delegations = await delegate(client, [{ user, workspace: 0, checks: [] }], false)
  const signDelegated = await createDelegatedSigner(database, delegations)
  const { accessible } = PermissionServiceService
  const body = AccessibleResourcesRequest.encode({
    ...{ ...kind, action: 'view', workspace_id: idOf('w', 0), limit: 100 },
  }).finish()
  const { port } = await server.request<ServerState>({})
  const calls = createBenchClient(port)
  const write = async (name: string, token: string) => {
    const expected = await calls.call(accessible.path, token, body)
    const prepared = [{ head: grpcHead(accessible.path, token), body: grpcMessage(body), expected }]
    return writeRequests(harness, name, prepared)
  }
  try {
    const files = {
      user: await write('page-of-user', await harness.signToken(user, 0)),
      agent: await write('page-of-agent', await signDelegated(user, 0)),
    }
    const read = (file: string) => (): Promise<Measurement> =>
      measure(server, { kind: 'unary', inFlight: 1, files: [file] })
    const results = await interleave(rounds, { user: read(files.user), agent: read(files.agent) })
    addRow({
      label: `a page of 100 IDs of ${formatNumber(reader?.shares ?? 0)} shares by a delegation of actions, compared with the user`,
      daikon: `p50 ${formatNumber(medianOf(results, ({ agent }) => agent.p50))} ms`,
      baseline: `p50 ${formatNumber(medianOf(results, ({ user }) => user.p50))} ms`,
      value: medianOf(results, ({ user, agent }) => agent.p50 / user.p50),
      goal,
    })
  } finally {
    calls.close()
  }
}

/** Creates a delegation of the user of each batch, of actions or of the resources that are asked and others. */
async function delegate(
  client: pg.Client,
  batches: Pick<CheckBatch, 'user' | 'workspace' | 'checks'>[],
  isOfResources: boolean,
): Promise<Delegations> {
  const delegations = new Map<number, { id: string; agentId: string }>()
  for (const [user, own] of Map.groupBy(batches, (batch) => batch.user)) {
    const asked = own.flatMap(({ checks }) => checks.map(({ resource_id }) => resource_id))
    const [id, agentId] = [randomUUID(), randomUUID()]
    delegations.set(user, { id, agentId })
    await client.query(delegateSql, [
      ...[id, idOf('u', user), agentId, idOf('w', own[0]?.workspace ?? 0), kind.service_name],
      ...[actions, isOfResources ? asked : null, maxResources],
    ])
  }
  await client.query('analyze delegations')
  return delegations
}

/**
 * $1 ID, $2 user, $3 agent, $4 workspace, $5 service, $6 actions, $7 `resource_id`s or null, $8 the number of
 * resources to fill the list up to.
 */
const delegateSql = `
  insert into delegations (id, user_id, agent_type, agent_id, agent_name, workspace_id, service_name, actions,
    resources, reason, created_at, expires_at)
  values ($1, $2, 'service_account', $3, 'bench', $4, $5, $6,
    case when $7::uuid[] is not null then array(
      (select gen_random_uuid() from generate_series(1, $8::int - cardinality($7::uuid[])))
      union all (select r.id from resources r where resource_id = any($7::uuid[]))
    ) end,
    'bench', now(), now() + interval '1 day')`
