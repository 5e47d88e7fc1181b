import fc from 'fast-check'
import { readRegistry } from '../../src/rpc/descriptors.ts'
import type { DeclaredOperation } from '../../src/rpc/operation.ts'
import { malformedRequests } from './malformed-input.ts'
import { sendRawGrpc, sendRawHttp } from './raw-requests.ts'
import { createRequestFixture, methodName } from './request-fixture.ts'
import type { TestEnvironment } from './test-environment.ts'
import type { Transport } from './transports.ts'

/** The number of requests by outcome, such as `REST 200` or `gRPC 3`. */
export type OutcomeCounts = Record<string, number>

const registry = readRegistry()

/** Generous, because machines can be busy. */
const timeoutMs = 60_000

/** gRPC codes that no input may cause: UNKNOWN, INTERNAL, UNAVAILABLE and DATA_LOSS. */
const serverErrorCodes = [2, 13, 14, 15]

/** Whether a method deletes objects that other requests need. Such methods are called last. */
const isDestructive = ({ route, key }: DeclaredOperation) =>
  route.verb === 'delete' || /logout/i.test(key)

/**
 * Sends `each` malformed requests to every method over each transport. Throws at the first request
 * that causes a server error. The error contains the seed that reproduces it.
 */
export async function fuzz(
  environment: TestEnvironment,
  each: number,
  seed: number,
): Promise<OutcomeCounts> {
  const outcomes: OutcomeCounts = {}
  const requests = await createRequestFixture(environment, environment.transports[0] as Transport)
  const { operations } = environment.app
  const ordered = [
    ...operations.filter((one) => !isDestructive(one)),
    ...operations.filter(isDestructive),
  ]
  const note = (label: string) => {
    outcomes[label] = (outcomes[label] ?? 0) + 1
  }
  for (const operation of ordered) {
    const { rest, grpc } = malformedRequests(registry, operation, requests)
    const settings = { seed, numRuns: each, endOnFailure: true }
    const property = fc.asyncProperty(rest, grpc, async (request, { path, bytes, credentials }) => {
      const { status } = await withTimeout(sendRawHttp(environment.httpPort, request))
      note(`REST ${status}`)
      if (status >= 500) throw new Error(`${methodName(operation)} returned ${status}`)
      const { code } = await withTimeout(
        sendRawGrpc(environment.grpcPort, path, bytes, credentials),
      )
      note(`gRPC ${code}`)
      if (serverErrorCodes.includes(code))
        throw new Error(`${methodName(operation)} returned ${code}`)
      const [failure] = environment.failures
      if (failure) throw new Error(`${methodName(operation)} failed`, { cause: failure })
    })
    await fc.assert(property, settings)
  }
  return outcomes
}

async function withTimeout<Result>(result: Promise<Result>): Promise<Result> {
  const { promise, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Error('no response')), timeoutMs)
  try {
    return await Promise.race([result, promise])
  } finally {
    clearTimeout(timer)
  }
}
