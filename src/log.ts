import { type Logger, pino, type TransportSingleOptions } from 'pino'
import type { Config } from './config.ts'

export type { Logger }

/** The structured log. What callers send never goes in as it came: no token, no key. */
export function createLog({ LOG_LEVEL, LOG_FORMAT }: Config): Logger {
  const pretty: TransportSingleOptions = {
    target: 'pino-pretty',
    options: { ignore: 'pid,hostname', translateTime: 'HH:MM:ss', singleLine: true },
  }
  return pino({ level: LOG_LEVEL, ...(LOG_FORMAT === 'pretty' && { transport: pretty }) })
}
