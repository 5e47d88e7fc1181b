import { asking } from './asker.ts'
import type { Passage, PipelineParts } from './pipeline.ts'

/** Runs the use case; its statements are its asker's. */
export async function handle(
  passage: Passage,
  { database, identity, now, warn }: PipelineParts,
): Promise<void> {
  const { operation, call, caller, grounds } = passage
  const { statements } = database
  const context = { caller, grounds, identity, warn, statements, now: now() }
  const { useCase } = operation
  passage.response = await asking.run(call.asker, () =>
    useCase.asks
      ? useCase(context, call.message)
      : useCase({ ...context, em: database.fork() }, call.message),
  )
}
