import { type Asker, callEnded, createAsker } from '../rpc/asker.ts'

/** How many statements of one kind are under way at once; what arrives meanwhile is the next batch. */
const underWay = 2

/** The most rows one statement takes, so that no caller waits for many large questions of others. */
const largestBatch = 1000

type Waiting<Question, Answer> = {
  question: Question
  resolve: (answer: Answer) => void
  reject: (error: unknown) => void
  forget: (() => void) | undefined
  /** The statement that carries the question. */
  batch: Batch | undefined
}

/** A statement under way: how many still wait for it, and the asker it runs for. */
type Batch = { left: number; asker: ReturnType<typeof createAsker> }

/**
 * Lets questions that arrive together share one statement. A question never joins a statement that
 * has been sent, so its answer holds every write acknowledged before it was asked. A statement that
 * fails, fails its own questions alone. Who goes waits no longer, and when all of a statement's
 * askers have gone, so has the one it runs for. `rowsOf` tells what a question adds to a statement.
 */
export function createSharedStatement<Question, Answer>(
  run: (questions: Question[], asker: Asker) => Promise<Answer[]>,
  rowsOf: (question: Question) => number = () => 1,
): (question: Question, asker?: Asker) => Promise<Answer> {
  let waiting: Waiting<Question, Answer>[] = []
  let running = 0
  let scheduled = false

  function schedule() {
    if (scheduled || running >= underWay || waiting.length === 0) return
    scheduled = true
    setImmediate(send)
  }

  async function send() {
    scheduled = false
    const entries = waiting.splice(0, fitting())
    if (entries.length === 0) return
    running += 1
    schedule()
    const batch = { left: entries.length, asker: createAsker() }
    for (const entry of entries) entry.batch = batch
    try {
      const answers = await run(
        entries.map(({ question }) => question),
        batch.asker,
      )
      for (const [at, { resolve, forget }] of entries.entries()) {
        forget?.()
        resolve(answers[at] as Answer)
      }
    } catch (error) {
      for (const { reject, forget } of entries) {
        forget?.()
        reject(error)
      }
    } finally {
      running -= 1
      schedule()
    }
  }

  /** How many of those waiting one statement takes; one at least. */
  function fitting(): number {
    let rows = 0
    const over = waiting.findIndex(({ question }) => {
      rows += rowsOf(question)
      return rows > largestBatch
    })
    return over === -1 ? waiting.length : Math.max(over, 1)
  }

  function leave(entry: Waiting<Question, Answer>) {
    entry.reject(callEnded())
    const { batch } = entry
    if (!batch) {
      waiting = waiting.filter((other) => other !== entry)
      return
    }
    batch.left -= 1
    if (batch.left === 0) batch.asker.leave()
  }

  return (question, asker) =>
    new Promise((resolve, reject) => {
      if (asker?.isGone()) throw callEnded()
      const entry: Waiting<Question, Answer> = {
        ...{ question, resolve, reject, forget: undefined, batch: undefined },
      }
      entry.forget = asker?.onGone(() => leave(entry))
      waiting.push(entry)
      schedule()
    })
}
