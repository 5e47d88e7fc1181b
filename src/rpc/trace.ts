/** A piece of work with a beginning and an end, as OpenTelemetry has it. */
export type Span = {
  /** Begins a part of it, such as a statement. */
  child(name: string, attributes?: Attributes): Span
  /** Ends it; with the reason where it failed. */
  end(failure?: string): void
}

export type Attributes = Record<string, string | number>

/** Runs `work` as a part of the span, if there is one. */
export function within<Result>(
  span: Span | undefined,
  name: string,
  attributes: Attributes,
  work: () => Promise<Result>,
): Promise<Result> {
  return span ? traced(span.child(name, attributes), work) : work()
}

async function traced<Result>(part: Span, work: () => Promise<Result>): Promise<Result> {
  try {
    const result = await work()
    part.end()
    return result
  } catch (error) {
    part.end(error instanceof Error ? error.name : 'Error')
    throw error
  }
}
