import { AccessKeys, GetAccessKeysRequest } from '../../gen/daikon/v1/access_keys.ts'
import { PermissionServiceService } from '../../gen/daikon/v1/permissions.ts'
import { createCheckBatches } from '../check-batches.ts'
import type { BenchProcess, ServerState } from '../child-process.ts'
import { grpcHead } from '../credentials.ts'
import { kind } from '../data-set.ts'
import { createBenchClient } from '../grpc-client.ts'
import type { Harness } from '../harness.ts'
import { grpcMessage } from '../http2-frames.ts'
import type { PreparedRequest } from '../prepared-requests.ts'
import { interleave, medianLoad, medianOf } from '../rounds.ts'
import { formatLoad, type Row } from '../table.ts'
import { fetchResponses, writeChecks, writeRequests } from '../write-requests.ts'

const { getAccessKeys } = PermissionServiceService

/** The field of `grants`, which other changes do not change. */
const grantsField = 1

/** Compares GetAccessKeys with checks of the same users. */
export async function measureKeys(
  harness: Harness,
  daikon: BenchProcess,
  addRow: (row: Row) => void,
): Promise<void> {
  const { database, quick, rounds, generators } = harness
  const batches = await createCheckBatches(database, 1, quick ? 100 : 1000)
  const checks = await fetchResponses(harness, daikon, batches)
  const { port } = await daikon.request<ServerState>({})
  const client = createBenchClient(port)
  const body = GetAccessKeysRequest.encode({ ...kind, action: 'view' }).finish()
  const requests: PreparedRequest[] = []
  const ofMembers: typeof checks = []
  for (const check of checks) {
    const { token } = check
    const bytes = await client.call(getAccessKeys.path, token, body)
    const holders = AccessKeys.decode(bytes).grants.flatMap(({ holders }) => holders)
    // An administrator holds one key, others those of the user and of ten groups.
    if (holders.length === 1) continue
    if (holders.length < 11) throw new Error(`A user holds only ${holders.length} keys`)
    ofMembers.push(check)
    // Only the generator in Go compares single fields, and the position changes.
    const expected = generators[0] === 'go' ? bytes : Buffer.alloc(0)
    requests.push({ head: grpcHead(getAccessKeys.path, token), body: grpcMessage(body), expected })
  }
  client.close()
  const checkFile = writeChecks(harness, 'lists-check', ofMembers).daikon
  const keysFile = writeRequests(harness, 'lists-keys', requests)

  const measure = (file: string, fields?: number[]) => () =>
    harness.measure(daikon, {
      kind: 'unary',
      inFlight: 1,
      files: [file],
      ...(fields && { fields }),
    })
  const results = await interleave(rounds, {
    check: measure(checkFile),
    keys: measure(keysFile, [grantsField]),
  })
  addRow({
    label: 'GetAccessKeys, 1 in flight, compared with Check of 1 item: p50',
    daikon: formatLoad(medianLoad(results, ({ keys }) => keys)),
    baseline: formatLoad(medianLoad(results, ({ check }) => check)),
    value: medianOf(results, ({ keys, check }) => keys.p50 / check.p50),
    goal: { max: 2 },
  })
}
