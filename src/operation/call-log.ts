import type { Logger } from '../log.ts'
import type { Ending } from '../rpc/pipeline.ts'

/**
 * A line for each call: who asked what, and how it ended. What was decided for a backend, which is
 * nearly every call, is told at `debug` alone.
 */
export function createCallLog(log: Logger): (ending: Ending) => void {
  return ({ operation, call, caller, fault, milliseconds }) => {
    const level = operation.useCase.asks && !fault ? 'debug' : 'info'
    if (!log.isLevelEnabled(level)) return
    const line = {
      request_id: call.requestId,
      method: operation.name,
      door: call.door,
      ip: call.ip,
      user: caller.user?.id,
      service: caller.service?.name,
      admin: caller.admin?.id,
      status: fault?.kind ?? 'ok',
      reason: fault?.reason,
      ms: Math.round(milliseconds * 1000) / 1000,
    }
    log[level](line, 'call')
  }
}
