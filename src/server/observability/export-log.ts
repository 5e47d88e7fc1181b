import type { Logger } from '../../core/logger.ts'

/**
 * Returns a function to call with the result of each export. It logs the first of consecutive failures,
 * and the success that follows them.
 */
export function createExportLog(
  exported: string,
  log: Pick<Logger, 'warn' | 'info'>,
): (result: { error?: Error }) => void {
  let isFailing = false
  return ({ error }) => {
    if (error && !isFailing) log.warn({ err: error }, `Exporting ${exported} failed`)
    if (!error && isFailing) log.info(`Exporting ${exported} works again`)
    isFailing = error !== undefined
  }
}
