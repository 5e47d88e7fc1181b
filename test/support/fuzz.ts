import fc from 'fast-check'
import { readRegistry } from '../../src/rpc/method.ts'
import type { DeclaredOperation } from '../../src/rpc/operation.ts'
import type { Door } from './doors.ts'
import { sendBytes, sendRaw } from './raw.ts'
import { layGrounds, nameOf } from './sweep.ts'
import { wildRequests } from './wild.ts'
import type { World } from './world.ts'

/** How many requests ended how: `REST 200`, `gRPC 3`. */
export type Endings = Record<string, number>

const registry = readRegistry()

/** The longest that an answer may take, in milliseconds. */
const patience = 10_000

/** gRPC codes that nobody's input may lead to: UNKNOWN, INTERNAL, UNAVAILABLE, DATA_LOSS, and none. */
const ours = [2, 13, 14, 15]

/** What changes the grounds for the others comes last. */
const isLast = ({ route, key }: DeclaredOperation) => route.verb === 'delete' || /logout/i.test(key)

/**
 * Sends `each` wild requests to every method through each door, on grounds of their own. It throws
 * at the first that ends in a fault of ours, with the seed that repeats it.
 */
export async function fuzz(world: World, each: number, seed: number): Promise<Endings> {
  const endings: Endings = {}
  const grounds = await layGrounds(world, world.doors[0] as Door)
  const { operations } = world.app
  const ordered = [...operations.filter((one) => !isLast(one)), ...operations.filter(isLast)]
  const note = (label: string) => {
    endings[label] = (endings[label] ?? 0) + 1
  }
  for (const operation of ordered) {
    const { rest, grpc } = wildRequests(registry, operation, grounds)
    const settings = { seed, numRuns: each, endOnFailure: true }
    const property = fc.asyncProperty(rest, grpc, async (request, { path, bytes, shown }) => {
      const { status } = await inTime(sendRaw(world.httpPort, request))
      note(`REST ${status}`)
      if (status >= 500) throw new Error(`${nameOf(operation)} answers ${status}`)
      const { code } = await inTime(sendBytes(world.grpcPort, path, bytes, shown))
      note(`gRPC ${code}`)
      if (ours.includes(code)) throw new Error(`${nameOf(operation)} answers ${code}`)
      const [failure] = world.failures
      if (failure) throw new Error(`${nameOf(operation)} fails`, { cause: failure })
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
