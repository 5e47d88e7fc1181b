import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from '../../core/logger.ts'
import type { DecisionLine } from './decision-log.ts'
import { createExportLog } from './export-log.ts'

/** Exports the lines of the decision log. */
export type DecisionExport = {
  write(line: DecisionLine): void
  /** Exports the remaining lines and stops. */
  stop(): Promise<void>
}

type DecisionExportOptions = {
  /** The base URL of the collector. */
  endpoint: string
  serviceName: string
  log: Pick<Logger, 'warn' | 'info'>
}

/** The maximum number of lines that wait for the collector. Further lines are dropped. */
const maxWaiting = 10_000

/** Milliseconds that the last export may take. An unreachable collector must not delay the exit. */
const stopTimeout = 5000

/** Exports decisions as log records by OTLP over HTTP. Loads OpenTelemetry on demand. */
export async function startDecisionExport({
  endpoint,
  serviceName,
  log,
}: DecisionExportOptions): Promise<DecisionExport> {
  const [
    { SeverityNumber },
    { BatchLogRecordProcessor, LoggerProvider },
    { OTLPLogExporter },
    { resourceFromAttributes },
  ] = await Promise.all([
    import('@opentelemetry/api'),
    import('@opentelemetry/sdk-logs'),
    import('@opentelemetry/exporter-logs-otlp-http'),
    import('@opentelemetry/resources'),
  ])
  const exporter = new OTLPLogExporter({ url: `${endpoint}/v1/logs` })
  const onResult = createExportLog('decisions', log)
  const processor = new BatchLogRecordProcessor({
    maxQueueSize: maxWaiting,
    exporter: {
      export: (records, done) =>
        exporter.export(records, (result) => {
          onResult(result)
          done(result)
        }),
      forceFlush: () => exporter.forceFlush(),
      shutdown: () => exporter.shutdown(),
    },
  })
  const provider = new LoggerProvider({
    resource: resourceFromAttributes({ 'service.name': serviceName }),
    processors: [processor],
  })
  const logger = provider.getLogger('daikon')

  return {
    write({ time, event, ...facts }) {
      const { action, resource, allowed, reason } = facts
      const asked = [action, resource].filter((part) => part !== null)
      logger.emit({
        timestamp: new Date(time),
        severityNumber: SeverityNumber.INFO,
        severityText: 'INFO',
        eventName: event,
        body: `${[...asked, allowed ? 'allowed' : 'denied'].join(' ')}: ${reason}`,
        attributes: withoutNull({ event, ...facts }),
      })
    },
    async stop() {
      const timeout = sleep(stopTimeout, undefined, { ref: false }).then(() => {
        throw new Error(`The collector did not respond within ${stopTimeout} milliseconds`)
      })
      await Promise.race([provider.shutdown(), timeout])
    },
  }
}

type Attributes = Record<string, string | number | boolean>

function withoutNull(facts: Record<string, string | number | boolean | null>): Attributes {
  const present = Object.entries(facts).filter(([, value]) => value !== null)
  return Object.fromEntries(present) as Attributes
}
