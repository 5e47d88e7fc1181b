import type { Logger } from '../../core/logger.ts'
import type { CallResult } from '../../rpc/pipeline.ts'

/** Returns a function that logs one line per call: the caller, the method and the outcome. */
export function createCallLog(log: Logger): (result: CallResult) => void {
  return ({ operation, call, principal, error, milliseconds }) => {
    const level = error ? 'info' : operation.logLevel
    if (!log.isLevelEnabled(level)) return
    const line = {
      request_id: call.requestId,
      method: operation.name,
      transport: call.transport,
      ip: call.ip,
      user: principal.user?.id,
      service: principal.service?.name,
      admin: principal.admin?.id,
      status: error?.code ?? 'ok',
      reason: error?.reason,
      ms: Math.round(milliseconds * 1000) / 1000,
    }
    log[level](line, 'call')
  }
}
