import type { Context, SpanKind } from '@opentelemetry/api'
import type { Span, SpanAttributes } from '../../core/trace.ts'
import type { Call } from '../../rpc/call.ts'
import type { StartSpan } from '../../rpc/pipeline.ts'

/** Exports the spans of calls. */
export type Tracing = {
  trace: StartSpan
  /** Exports the remaining spans and stops. */
  stop(): Promise<void>
}

/** Exports spans by OTLP over HTTP. Loads OpenTelemetry on demand. */
export async function startTracing(endpoint: string, serviceName: string): Promise<Tracing> {
  const [api, { BatchSpanProcessor, ParentBasedSampler, AlwaysOnSampler, TracerProvider }] =
    await Promise.all([import('@opentelemetry/api'), import('@opentelemetry/sdk-trace')])
  const [{ OTLPTraceExporter }, { resourceFromAttributes }] = await Promise.all([
    import('@opentelemetry/exporter-trace-otlp-http'),
    import('@opentelemetry/resources'),
  ])
  const exporter = new OTLPTraceExporter({ url: `${endpoint}/v1/traces` })
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ 'service.name': serviceName }),
    sampler: new ParentBasedSampler({ root: new AlwaysOnSampler() }),
    spanProcessors: [new BatchSpanProcessor({ exporter })],
  })
  const tracer = provider.getTracer('daikon')
  const { ROOT_CONTEXT, SpanStatusCode, trace } = api

  function startSpan(
    name: string,
    kind: SpanKind,
    parent: Context,
    attributes: SpanAttributes,
  ): Span {
    const span = tracer.startSpan(name, { kind, attributes }, parent)
    const context = trace.setSpan(parent, span)
    return {
      child: (name, attributes = {}) => startSpan(name, api.SpanKind.CLIENT, context, attributes),
      end(failure) {
        if (failure) span.setStatus({ code: SpanStatusCode.ERROR, message: failure })
        span.end()
      },
    }
  }

  return {
    trace(operation, call) {
      const remote = readTraceparent(call)
      const context = remote ? trace.setSpanContext(ROOT_CONTEXT, remote) : ROOT_CONTEXT
      return startSpan(operation.name, api.SpanKind.SERVER, context, {
        'rpc.method': operation.name,
        'daikon.transport': call.transport,
        'daikon.request_id': call.requestId,
      })
    },
    stop: () => provider.shutdown(),
  }
}

/** Parses a `traceparent` header (W3C Trace Context, section 3.2). */
function readTraceparent({ traceparent }: Call) {
  const [, traceId = '', spanId = '', flags = ''] =
    /^(?!ff)[\da-f]{2}-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-([\da-f]{2})(?:-|$)/.exec(
      traceparent ?? '',
    ) ?? []
  if (!traceId) return undefined
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & 1, isRemote: true }
}
