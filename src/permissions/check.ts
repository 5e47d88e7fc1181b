import type {
  CheckStreamRequest,
  CheckStreamResponse,
  PermissionCheckRequest,
  PermissionCheckResponse,
} from '../../gen/daikon/v1/permissions.ts'
import type { Decision } from '../rpc/call.ts'
import { may } from './access.ts'

/** Answers each check by the facts that came with the caller's standing. */
export const check: Decision<PermissionCheckRequest, PermissionCheckResponse> = (
  { caller, grounds },
  { checks },
) => ({
  results: checks.map((asked, at) => ({
    service_name: asked.service_name,
    resource_type: asked.resource_type,
    resource_id: asked.resource_id,
    action: asked.action,
    allowed: may(caller.user?.role, asked.action, grounds[at] ?? 0),
  })),
})

check.asks = ({ checks }) => checks

/** Answers one check of a stream. */
export const checkOne: Decision<CheckStreamRequest, CheckStreamResponse> = (
  { caller, grounds },
  { correlation_id, check },
) => ({
  correlation_id,
  allowed: may(caller.user?.role, check?.action ?? '', grounds[0] ?? 0),
})

checkOne.asks = ({ check }) => (check ? [check] : [])
