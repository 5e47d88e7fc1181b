import { isDeepStrictEqual } from 'node:util'
import { apiChanges, type Change } from './changes.ts'
import { createOracle, type Oracle } from './oracle.ts'
import { drawQuestions, type Question } from './questions.ts'
import { readRows, throwUnavailable, Unavailable } from './rows.ts'
import { type AskedNode, contexts, type Scene } from './scene.ts'
import { sqlChanges } from './sql-changes.ts'

/** All changes, by name. */
export const changes: Record<string, Change> = { ...apiChanges, ...sqlChanges }

/** How much a run has asked, changed and broken. */
export type Counts = {
  questions: number
  decisions: number
  changes: Record<string, number>
  rejected: Record<string, number>
  faults: Record<string, number>
}

export const createCounts = (): Counts => ({
  questions: 0,
  decisions: 0,
  changes: {},
  rejected: {},
  faults: {},
})

/** Returns a line with the totals. */
export function summarize({ questions, decisions, changes, rejected, faults }: Counts): string {
  const sum = (counts: Record<string, number>) =>
    Object.values(counts).reduce((total, count) => total + count, 0)
  const kinds = Object.keys(changes).length
  return `${questions} questions with ${decisions} decisions, ${sum(changes)} changes of ${kinds} kinds (${sum(rejected)} rejected), ${sum(faults)} faults`
}

export type RunOptions = {
  counts: Counts
  /** The share of the questions that is asked after each change. */
  share: number
  /** Milliseconds for which calls may fail because a server is not available. */
  patience: number
}

/** A wrong answer: the nodes and the oracle do not agree. */
export class Disagreement extends Error {}

export type Runner = ReturnType<typeof createRunner>

/** Creates the functions that change the world and ask all nodes about it. */
export function createRunner(scene: Scene, { counts, share, patience }: RunOptions) {
  const { random } = scene
  const history: string[] = []
  let held: Question[] = []

  const consult = async (): Promise<Oracle> =>
    createOracle(
      await readRows(scene.pool),
      scene.service,
      scene.secrets,
      Date.now() + scene.clockAhead,
      scene.context,
    )

  /** Repeats a call while a server is not available. */
  async function patiently<Result>(call: () => Promise<Result>): Promise<Result> {
    const deadline = performance.now() + patience
    for (;;) {
      try {
        return await call()
      } catch (error) {
        if (!(error instanceof Unavailable) || performance.now() > deadline) throw error
      }
    }
  }

  /**
   * Asks nodes, by default all, a share of the questions that can be asked: those of the last time
   * again, which may be remembered, and new ones twice, so that they are.
   */
  async function ask(nodes: AskedNode[] = scene.nodes, of = share): Promise<void> {
    if (random.chance(0.2)) {
      scene.context = random.pick(contexts)
      held = []
    }
    const drawn = drawQuestions(scene, of)
    await askQuestions([...held, ...drawn], nodes)
    await askQuestions(drawn, nodes)
    held = drawn
  }

  /**
   * Requires that nodes agree with the rows. Where something expires while they are asked, the rows
   * before or after count.
   */
  async function askQuestions(drawn: Question[], nodes = scene.nodes): Promise<void> {
    const before = await patiently(consult)
    const expected = drawn.map((question) => question.expect(before))
    await Promise.all(nodes.map((node) => askNode(node, drawn, expected)))
  }

  async function askNode(node: AskedNode, drawn: Question[], expected: unknown[]): Promise<void> {
    for (const [index, question] of drawn.entries()) {
      const answer = await patiently(() => question.ask(node))
      counts.questions += 1
      counts.decisions += question.count
      if (isDeepStrictEqual(answer, expected[index])) continue
      const after = question.expect(await patiently(consult))
      if (isDeepStrictEqual(answer, after)) continue
      throw new Disagreement(
        `${node.name} after ${history.slice(-6).join(', ')}: ${question.label}\n  ${describeDifference(answer, expected[index])}`,
      )
    }
  }

  /** Makes a change, asks all nodes, and undoes it if it must not last. */
  async function change(name: string, nodes?: AskedNode[]): Promise<string | undefined> {
    const { make, undo } = changes[name] as Change
    const code = await patiently(() => make(scene).catch(throwUnavailable))
    if (code === undefined) return undefined
    history.push(`${name} (${code})`)
    if (code === 'internal') throw new Error(`${name} failed`)
    const counted = code === 'ok' ? counts.changes : counts.rejected
    counted[name] = (counted[name] ?? 0) + 1
    if (code !== 'ok') return code
    await ask(nodes)
    if (!undo) return code
    await patiently(async () => undo(scene)).catch(throwUnavailable)
    history.push(`undone: ${name}`)
    await ask(nodes)
    return code
  }

  return {
    ask,
    askQuestions,
    change,
    /** Makes a random change. */
    changeAnything: (nodes?: AskedNode[]) => change(random.pick(Object.keys(changes)), nodes),
    async fail(name: string, fault: () => Promise<unknown>): Promise<void> {
      history.push(`fault: ${name}`)
      await fault()
      counts.faults[name] = (counts.faults[name] ?? 0) + 1
    },
  }
}

/** Describes what only one side contains, of lists. */
function describeDifference(answer: unknown, expected: unknown): string {
  if (!Array.isArray(answer) || !Array.isArray(expected))
    return `${JSON.stringify(answer)} instead of ${JSON.stringify(expected)}`
  const only = (some: unknown[], others: unknown[]) =>
    some.filter((one) => !others.includes(one)).join(', ')
  return `wrongly contains [${only(answer, expected)}], lacks [${only(expected, answer)}]`
}
