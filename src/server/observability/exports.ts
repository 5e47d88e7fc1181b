import type { Registry } from 'prom-client'
import type { Logger } from '../../core/logger.ts'
import type { Config } from '../config.ts'
import { startDecisionExport } from './otlp-decisions.ts'
import { startMetricsExport } from './otlp-metrics.ts'
import { startTracing } from './tracing.ts'

/** Starts the exports over OTLP that the settings ask for: of traces, metrics and decisions. */
export async function startExports(config: Config, registry: Registry, log: Logger) {
  const endpoint = config.OTEL_EXPORTER_OTLP_ENDPOINT
  const serviceName = config.OTEL_SERVICE_NAME
  const tracing = endpoint ? await startTracing(endpoint, serviceName) : undefined
  const metrics =
    endpoint && config.OTEL_METRICS_EXPORTER === 'otlp'
      ? await startMetricsExport({
          endpoint,
          serviceName,
          interval: config.OTEL_METRIC_EXPORT_INTERVAL,
          registry,
          log,
        })
      : undefined
  const decisions =
    config.DECISION_LOG !== 'off' && config.DECISION_LOG_OUTPUT === 'otlp'
      ? await startDecisionExport({ endpoint, serviceName, log })
      : undefined
  return {
    trace: tracing?.trace,
    writeDecision: decisions?.write,
    /** Sends what is left. */
    async stop(): Promise<void> {
      const onFailure = (text: string) => (error: unknown) => log.warn({ err: error }, text)
      await decisions?.stop().catch(onFailure('Exporting the last decisions failed'))
      await metrics?.stop().catch(onFailure('Exporting the last metrics failed'))
      await tracing?.stop().catch(onFailure('Sending spans failed'))
    },
  }
}
