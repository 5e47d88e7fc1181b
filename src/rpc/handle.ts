import type { Passage, PipelineParts } from './pipeline.ts'

/** Runs the use case. */
export async function handle(
  passage: Passage,
  { database, identity, now, warn }: PipelineParts,
): Promise<void> {
  const { operation, call, caller, grounds } = passage
  const { statements } = database
  const context = { caller, grounds, identity, warn, statements, now: now() }
  const { useCase } = operation
  passage.response = useCase.asks
    ? await useCase(context, call.message)
    : await useCase({ ...context, em: database.fork() }, call.message)
}
