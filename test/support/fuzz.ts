import fc from 'fast-check'
import { readRegistry } from '../../src/rpc/descriptors.ts'
import type { DeclaredOperation } from '../../src/rpc/operation.ts'
import { malformedRequests } from './malformed-input.ts'
import { sendRawGrpc, sendRawHttp } from './raw-requests.ts'
import { createRequestFixture, methodName } from './request-fixture.ts'
import type { TestEnvironment } from './test-environment.ts'
import type { Transport } from './transports.ts'

/** How many requests ended how: `REST 200`, `gRPC 3`. */
export type OutcomeCounts = Record<string, number>

const registry = readRegistry()

/** The longest that an answer may take, in milliseconds. */
const patience = 10_000

/** gRPC codes that nobody's input may lead to: UNKNOWN, INTERNAL, UNAVAILABLE, DATA_LOSS, and none. */
const ours = [2, 13, 14, 15]

/** What changes the grounds for the others comes last. */
const isLast = ({ route, key }: DeclaredOperation) => route.verb === 'delete' || /logout/i.test(key)

/**
 * Sends `each` wild requests to every method through each transport, on grounds of their own. It throws
 * at the first that ends in a fault of ours, with the seed that repeats it.
 */
export async function fuzz(
  environment: TestEnvironment,
  each: number,
  seed: number,
): Promise<OutcomeCounts> {
  const endings: OutcomeCounts = {}
  const grounds = await createRequestFixture(environment, environment.transports[0] as Transport)
  const { operations } = environment.app
  const ordered = [...operations.filter((one) => !isLast(one)), ...operations.filter(isLast)]
  const note = (label: string) => {
    endings[label] = (endings[label] ?? 0) + 1
  }
  for (const operation of ordered) {
    const { rest, grpc } = malformedRequests(registry, operation, grounds)
    const settings = { seed, numRuns: each, endOnFailure: true }
    const property = fc.asyncProperty(rest, grpc, async (request, { path, bytes, shown }) => {
      const { status } = await inTime(sendRawHttp(environment.httpPort, request))
      note(`REST ${status}`)
      if (status >= 500) throw new Error(`${methodName(operation)} answers ${status}`)
      const { code } = await inTime(sendRawGrpc(environment.grpcPort, path, bytes, shown))
      note(`gRPC ${code}`)
      if (ours.includes(code)) throw new Error(`${methodName(operation)} answers ${code}`)
      const [failure] = environment.failures
      if (failure) throw new Error(`${methodName(operation)} fails`, { cause: failure })
    })
    await fc.assert(property, settings)
  }
  return endings
}

async function inTime<Answer>(answer: Promise<Answer>): Promise<Answer> {
  const { promise, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Error('no answer')), patience)
  try {
    return await Promise.race([answer, promise])
  } finally {
    clearTimeout(timer)
  }
}
