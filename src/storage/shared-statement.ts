/** How many statements of one kind are under way at once; what arrives meanwhile is the next batch. */
const underWay = 2

/** The most rows one statement takes, so that no caller waits for many large questions of others. */
const largestBatch = 1000

type Waiting<Question, Answer> = {
  question: Question
  resolve: (answer: Answer) => void
  reject: (error: unknown) => void
}

/**
 * Lets questions that arrive together share one statement. A question never joins a statement that
 * has been sent, so its answer holds every write acknowledged before it was asked. A statement that
 * fails, fails its own questions alone. `rowsOf` tells what a question adds to a statement.
 */
export function createSharedStatement<Question, Answer>(
  run: (questions: Question[]) => Promise<Answer[]>,
  rowsOf: (question: Question) => number = () => 1,
): (question: Question) => Promise<Answer> {
  const waiting: Waiting<Question, Answer>[] = []
  let running = 0
  let scheduled = false

  function schedule() {
    if (scheduled || running >= underWay || waiting.length === 0) return
    scheduled = true
    setImmediate(send)
  }

  async function send() {
    scheduled = false
    const batch = waiting.splice(0, fitting())
    running += 1
    schedule()
    try {
      const answers = await run(batch.map(({ question }) => question))
      for (const [at, { resolve }] of batch.entries()) resolve(answers[at] as Answer)
    } catch (error) {
      for (const { reject } of batch) reject(error)
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

  return (question) =>
    new Promise((resolve, reject) => {
      waiting.push({ question, resolve, reject })
      schedule()
    })
}
