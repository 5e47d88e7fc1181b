import type { Transport } from '../../test/support/transports.ts'
import { countOutcome, type OutcomeCounts } from '../faults/traffic.ts'
import type { Target } from './target.ts'

/** The context of an attack: its target, a client of the attacked node, and when to stop. */
export type AttackContext = {
  target: Target
  grpc: Transport
  /** Whether the attack is over. */
  isOver(): boolean
  /** The number of the attacker's calls by outcome. */
  outcomes: OutcomeCounts
}

export type Attack = {
  /** The label of the row in the table. */
  title: string
  run(context: AttackContext): Promise<void>
}

/**
 * Counts a call by its outcome: `unfinished` while it runs, `cut` if it ends without a response.
 */
export async function countCall(
  outcomes: OutcomeCounts,
  call: Promise<{ ok: true } | { ok: false; reason: string; code: string }>,
): Promise<void> {
  countOutcome(outcomes, 'unfinished')
  const label = await call.then(
    (outcome) => (outcome.ok ? 'ok' : outcome.reason || outcome.code),
    () => 'cut',
  )
  countOutcome(outcomes, 'unfinished', -1)
  countOutcome(outcomes, label)
}

/** Runs `work` in `count` parallel loops until the attack is over. */
export async function repeatInParallel(
  { isOver }: AttackContext,
  count: number,
  work: (index: number) => Promise<void>,
): Promise<void> {
  let next = 0
  const loop = async () => {
    do await work(next++)
    while (!isOver())
  }
  await Promise.all(Array.from({ length: count }, loop))
}

/** Runs bursts of `count` parallel calls until the attack is over. */
export async function repeatBursts(
  { isOver }: AttackContext,
  count: number,
  work: () => Promise<void>,
): Promise<void> {
  do await Promise.all(Array.from({ length: count }, work))
  while (!isOver())
}
