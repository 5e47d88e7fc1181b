import { createRequire } from 'node:module'
import { destination, type Logger, pino } from 'pino'
import { describeError } from './describe-error.ts'

export type { Logger }

/**
 * Creates the structured logger, which writes synchronously to standard output. Callers must not
 * pass it credentials, and must pass errors as `err`, from which personal data is removed.
 */
export function createLogger(level: string, format: 'json' | 'pretty'): Logger {
  const options = { level, serializers: { err: (error: unknown) => describeError(error) } }
  // An asynchronous write that is under way when the process exits would come after the last lines.
  const output = destination({ dest: 1, sync: true })
  if (format === 'json') return pino(options, output)
  const { prettyFactory } = createRequire(import.meta.url)('pino-pretty')
  const prettify = prettyFactory({
    ignore: 'pid,hostname',
    translateTime: 'HH:MM:ss',
    singleLine: true,
  })
  return pino(options, { write: (line) => output.write(prettify(line)) })
}
