import type {
  CheckStreamRequest,
  CheckStreamResponse,
  PermissionCheckRequest,
  PermissionCheckResponse,
} from '../../gen/daikon/v1/permissions.ts'
import { isAllowed } from './access.ts'
import { defineDecision } from './decision.ts'

/** Decides a batch of checks, in order. */
export const check = defineDecision<PermissionCheckRequest, PermissionCheckResponse>({
  checks: ({ checks }) => checks,
  handle: ({ principal, grants }, { checks }) => ({
    results: checks.map(({ service_name, resource_type, resource_id, action }, index) => ({
      service_name,
      resource_type,
      resource_id,
      action,
      allowed: isAllowed(principal.user?.role, action, grants[index] ?? 0),
    })),
  }),
  outcomes: ({ results }) => results.map(({ allowed }) => allowed),
})

/** Decides one check of a stream. */
export const checkStream = defineDecision<CheckStreamRequest, CheckStreamResponse>({
  checks: ({ check }) => (check ? [check] : []),
  handle: ({ principal, grants }, { correlation_id, check }) => ({
    correlation_id,
    allowed: isAllowed(principal.user?.role, check?.action ?? '', grants[0] ?? 0),
  }),
  outcomes: ({ allowed }) => [allowed],
})
