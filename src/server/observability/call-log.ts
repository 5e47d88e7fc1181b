import type { Logger } from '../../core/logger.ts'
import type { CallResult } from '../../rpc/pipeline.ts'

/** Returns a function that logs one line per call: the caller, the method and the outcome. */
export function createCallLog(log: Logger): (result: CallResult) => void {
  return ({ operation, call, principal, error, milliseconds }) => {
    const { logLevel = 'info', denials = [] } = operation.handler
    const isDecided = !error || denials.includes(error.reason)
    const level = isDecided ? logLevel : 'info'
    if (!log.isLevelEnabled(level)) return
    const line = {
      request_id: call.requestId,
      method: operation.name,
      transport: call.transport,
      ip: call.ip,
      user: principal.user?.id,
      service: principal.service?.name,
      admin: principal.admin?.id,
      management_app: principal.managementApp?.id,
      status: error?.code ?? 'ok',
      reason: error?.reason,
      // Why a token was rejected, which clients learn in debug mode only.
      detail: error?.code === 'unauthenticated' ? readMessage(error.cause) : undefined,
      ms: Math.round(milliseconds * 1000) / 1000,
    }
    log[level](line, 'call')
  }
}

function readMessage(cause: unknown): string | undefined {
  return cause instanceof Error ? cause.message : undefined
}
