import test, { type ExecutionContext } from 'ava'
import { withFile } from './test-groups.ts'

type Implementation = (t: ExecutionContext, ...rest: unknown[]) => unknown
type Declare = (...args: unknown[]) => void

const declarations: (() => void)[] = []

/** Resolves when the concurrent tests of the files that have been declared so far have ended. */
let ended = Promise.resolve()

/**
 * Returns what a file of a group imports as `test`. AVA accepts no declaration before all files are loaded, and no title
 * twice.
 */
export function testOf(url: string): Declare {
  const inTurn = createTurn()
  const inFile = (declare: Declare, isConcurrent: boolean): Declare =>
    new Proxy(declare, {
      get(target, modifier) {
        // It would run for the tests of the other files, too.
        if (modifier === 'beforeEach' || modifier === 'afterEach')
          throw new Error(`${url} has a hook for each test: tools/test-files.ts must name it`)
        const value = Reflect.get(target, modifier)
        return typeof value === 'function' ? inFile(value, false) : value
      },
      apply(target, _, [title, implementation, ...rest]) {
        const run = isConcurrent ? inTurn(implementation) : implementation
        declarations.push(() =>
          typeof title === 'string' ? target(withFile(url, title), run, ...rest) : target(title),
        )
      },
    })
  return inFile(test as Declare, true)
}

/** Declares the tests of all files to AVA. */
export function declareTests(): void {
  for (const declare of declarations) declare()
}

/** Lets the concurrent tests of a file begin when those of the files before it have ended. */
function createTurn(): (implementation: Implementation) => Implementation {
  const before = ended
  const { promise, resolve } = Promise.withResolvers<void>()
  let running = 0
  return (implementation) => {
    running += 1
    ended = promise
    return async (...args) => {
      await before
      try {
        return await implementation(...args)
      } finally {
        running -= 1
        if (running === 0) resolve()
      }
    }
  }
}
