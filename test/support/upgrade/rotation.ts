import type { NodeProcess } from '../../../bench/faults/node-process.ts'
import { countOutcome, type OutcomeCounts } from '../../../bench/faults/traffic.ts'
import type { Outcome, PresentedCredentials } from '../transports.ts'
import { waitUntil } from '../wait-until.ts'

/** Nodes of both versions behind a load balancer, which sends each call to one of them at random. */
export type Rotation = ReturnType<typeof createRotation>

/** A call failed, which `outcomes` counts. What it has changed is unknown. */
export class CallFailed extends Error {}

export type RotatedNode = { node: NodeProcess; isNew: boolean }

/** Creates a rotation without nodes. `outcomes` counts the calls by their outcome and version. */
export function createRotation() {
  const nodes = new Set<RotatedNode>()
  const pending = new Map<RotatedNode, number>()
  const outcomes: OutcomeCounts = {}
  const durations: number[] = []

  function count(label: string, { isNew }: { isNew: boolean }): void {
    const isExpected = label === 'ok' || label === 'unavailable'
    countOutcome(outcomes, isExpected ? label : `${label} (${isNew ? 'new' : 'release'})`)
  }

  /** Runs a request on a node, which remains until it has ended. */
  async function use<Result>(
    request: (node: RotatedNode) => Promise<Result>,
    isSuitable: (node: RotatedNode) => boolean = () => true,
  ): Promise<Result> {
    const suitable = [...nodes].filter(isSuitable)
    const chosen = suitable[Math.floor(Math.random() * suitable.length)]
    if (!chosen) throw new CallFailed('No node can serve the call')
    pending.set(chosen, (pending.get(chosen) ?? 0) + 1)
    const startedAt = performance.now()
    try {
      return await request(chosen)
    } finally {
      durations.push(performance.now() - startedAt)
      pending.set(chosen, (pending.get(chosen) ?? 1) - 1)
    }
  }

  return {
    outcomes,
    /** The milliseconds of each call. */
    durations,
    count,
    use,
    hasNew: () => [...nodes].some(({ isNew }) => isNew),
    add: (node: RotatedNode) => nodes.add(node),
    /** Removes a node when its calls have ended. */
    async remove(node: RotatedNode) {
      nodes.delete(node)
      await waitUntil(() => (pending.get(node) ?? 0) === 0)
    },
    /**
     * Calls a method on a node, over gRPC or REST. `isRight` judges the response.
     *
     * @throws CallFailed if the call failed or returned something wrong
     */
    call(
      method: string,
      message: object,
      credentials?: PresentedCredentials,
      options: { isRight?: (outcome: Outcome) => boolean; isNew?: true } = {},
    ): Promise<Record<string, any>> {
      return use(
        async (chosen) => {
          const { transports } = chosen.node
          const transport = transports[Math.floor(Math.random() * transports.length)]
          const outcome = (await transport?.call(method, message, credentials)) as Outcome
          const label = labelOf(method, outcome, options.isRight)
          count(label, chosen)
          if (label !== 'ok') throw new CallFailed(label)
          return outcome.ok ? outcome.message : {}
        },
        ({ isNew }) => isNew || !options.isNew,
      )
    },
  }
}

function labelOf(
  method: string,
  outcome: Outcome,
  isRight: (outcome: Outcome) => boolean = ({ ok }) => ok,
): string {
  if (isRight(outcome)) return 'ok'
  if (outcome.ok) return `${method}: WRONG`
  return outcome.code === 'unavailable' ? 'unavailable' : `${method}: ${outcome.reason}`
}
