export type SpanAttributes = Record<string, string | number>

/** A unit of traced work, as in OpenTelemetry. */
export type Span = {
  /** Starts a child span, for example for a statement. */
  child(name: string, attributes?: SpanAttributes): Span
  /** Ends the span; `failure` marks it as failed. */
  end(failure?: string): void
}

/** Runs `work` in a child span of `parent`, or without a span if there is no parent. */
export function withSpan<Result>(
  parent: Span | undefined,
  name: string,
  attributes: SpanAttributes,
  work: () => Promise<Result>,
): Promise<Result> {
  return parent ? runInSpan(parent.child(name, attributes), work) : work()
}

async function runInSpan<Result>(span: Span, work: () => Promise<Result>): Promise<Result> {
  try {
    const result = await work()
    span.end()
    return result
  } catch (error) {
    span.end(error instanceof Error ? error.name : 'Error')
    throw error
  }
}
