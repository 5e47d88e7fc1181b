import type { EntityManager } from '@mikro-orm/postgresql'
import type { Passage, PipelineParts } from './pipeline.ts'

/** Runs the use case. */
export async function handle(
  passage: Passage,
  { database, identity, now, warn }: PipelineParts,
): Promise<void> {
  const { operation, call, caller, grounds } = passage
  let forked: EntityManager | undefined
  const context = {
    caller,
    grounds,
    identity,
    warn,
    now: now(),
    statements: database.statements,
    // A check needs none: its facts are there already.
    get em() {
      forked ??= database.fork()
      return forked
    },
  }
  passage.response = await operation.useCase(context, call.message)
}
