import {
  CheckStreamRequest,
  CheckStreamResponse,
  PermissionCheckRequest,
  PermissionCheckResponse,
  PermissionServiceService,
} from '../gen/daikon/v1/permissions.ts'
import type { BenchDatabase } from './bench-database.ts'
import type { CheckBatch } from './check-batches.ts'
import type { BenchProcess, ServerState } from './child-process.ts'
import { grpcHead, http1Head } from './credentials.ts'
import { createBenchClient } from './grpc-client.ts'
import type { Harness } from './harness.ts'
import { grpcMessage } from './http2-frames.ts'
import { type PreparedRequest, writePreparedRequests } from './prepared-requests.ts'

/** A batch of checks with the access token of its user and the expected response. */
export type CheckBatchWithResponse = CheckBatch & {
  token: string
  response: PermissionCheckResponse
}

const { check, checkStream } = PermissionServiceService

/** Fetches the responses with a grpc-js client. Throws if a check that a share allows is denied. */
export async function fetchResponses(
  { signToken }: Pick<Harness, 'signToken'>,
  server: BenchProcess,
  batches: CheckBatch[],
): Promise<CheckBatchWithResponse[]> {
  const { port } = await server.request<ServerState>({})
  const client = createBenchClient(port)
  const tokens = new Map<number, string>()
  try {
    const batchesWithResponses: CheckBatchWithResponse[] = []
    for (const batch of batches) {
      const { user, workspace, mustAllow } = batch
      const token = tokens.get(user) ?? (await signToken(user, workspace))
      tokens.set(user, token)
      const body = PermissionCheckRequest.encode(batch).finish()
      const response = PermissionCheckResponse.decode(await client.call(check.path, token, body))
      for (const [index, { allowed }] of response.results.entries()) {
        if (mustAllow[index] && !allowed)
          throw new Error(`Denied although shared: ${user}, item ${index}`)
      }
      batchesWithResponses.push({ ...batch, token, response })
    }
    return batchesWithResponses
  } finally {
    client.close()
  }
}

/**
 * Writes the batches as unary calls for the server, and as calls with every check allowed for the
 * baseline.
 */
export function writeChecks(
  harness: Harness,
  name: string,
  batchesWithResponses: CheckBatchWithResponse[],
) {
  const prepare = (
    read: (batchesWithResponses: CheckBatchWithResponse) => PermissionCheckResponse,
  ) =>
    batchesWithResponses.map(
      (each): PreparedRequest => ({
        head: grpcHead(check.path, each.token),
        body: grpcMessage(PermissionCheckRequest.encode(each).finish()),
        expected: Buffer.from(PermissionCheckResponse.encode(read(each)).finish()),
      }),
    )
  return {
    daikon: writeRequests(
      harness,
      `daikon-${name}`,
      prepare(({ response }) => response),
    ),
    baseline: writeRequests(harness, `baseline-${name}`, prepare(allAllowed)),
  }
}

/** Writes the batches as messages of one stream, with the token of the first batch. */
export function writeStreamChecks(
  harness: Harness,
  name: string,
  batchesWithResponses: CheckBatchWithResponse[],
): string {
  const head = grpcHead(checkStream.path, batchesWithResponses[0]?.token ?? '')
  const opening = { head, body: Buffer.alloc(0), expected: Buffer.alloc(0) }
  const messages = batchesWithResponses.flatMap(({ checks, response }) =>
    checks.map((check, index) => ({ check, allowed: response.results[index]?.allowed === true })),
  )
  const requests = messages.map(({ check, allowed }, index): PreparedRequest => {
    const correlation_id = String(index).padStart(6, '0')
    return {
      head,
      body: grpcMessage(CheckStreamRequest.encode({ correlation_id, check }).finish()),
      expected: Buffer.from(CheckStreamResponse.encode({ correlation_id, allowed }).finish()),
    }
  })
  return writeRequests(harness, name, [opening, ...requests])
}

/** Writes the batches as POST requests for the server and for the Express baseline. */
export function writeRestChecks(
  harness: Harness,
  name: string,
  batchesWithResponses: CheckBatchWithResponse[],
) {
  const prepare = (
    expected: (batchesWithResponses: CheckBatchWithResponse, body: Buffer) => Buffer,
  ) =>
    batchesWithResponses.map((each): PreparedRequest => {
      const body = Buffer.from(JSON.stringify({ checks: each.checks }))
      const head = http1Head('/permissions/check', each.token, body.length)
      return { head, body, expected: expected(each, body) }
    })
  const json = ({ response }: CheckBatchWithResponse) => Buffer.from(JSON.stringify(response))
  return {
    daikon: writeRequests(harness, `daikon-${name}`, prepare(json)),
    echo: writeRequests(
      harness,
      `echo-${name}`,
      prepare((_, body) => body),
    ),
  }
}

/** Writes requests to a file in the benchmark's folder. Returns its path. */
export function writeRequests(
  { database }: { database: Pick<BenchDatabase, 'folder'> },
  name: string,
  requests: PreparedRequest[],
): string {
  const file = `${database.folder}/${name}`
  writePreparedRequests(file, requests)
  return file
}

function allAllowed({ response }: CheckBatchWithResponse): PermissionCheckResponse {
  return { results: response.results.map((result) => ({ ...result, allowed: true })) }
}
