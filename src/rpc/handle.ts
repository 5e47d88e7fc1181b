import { asking } from './asker.ts'
import type { Passage, PipelineParts } from './pipeline.ts'

/** Runs the use case; its statements are its asker's. */
export function handle(
  passage: Passage,
  { database, identity, warn }: PipelineParts,
): Promise<void> | void {
  const { operation, call, now, caller, grounds } = passage
  const { statements } = database
  const context = { caller, grounds, identity, warn, statements, now }
  const { useCase } = operation
  const response = asking.run(call.asker, () =>
    useCase.asks
      ? useCase(context, call.message)
      : database.fork().then((em) => useCase({ ...context, em }, call.message)),
  )
  const keep = (response: object) => {
    passage.response = response
  }
  return response instanceof Promise ? response.then(keep) : keep(response)
}
