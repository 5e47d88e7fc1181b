import { type Logger, pino, type TransportSingleOptions } from 'pino'

export type { Logger }

/** Creates the structured logger. Callers must not pass it credentials. */
export function createLogger(level: string, format: 'json' | 'pretty'): Logger {
  const pretty: TransportSingleOptions = {
    target: 'pino-pretty',
    options: { ignore: 'pid,hostname', translateTime: 'HH:MM:ss', singleLine: true },
  }
  return pino({ level, ...(format === 'pretty' && { transport: pretty }) })
}
