import type {
  CheckStreamRequest,
  CheckStreamResponse,
  PermissionCheck,
  PermissionCheckRequest,
  PermissionCheckResponse,
} from '../../gen/daikon/v1/permissions.ts'
import type { ConditionInput } from './conditions/condition-input.ts'
import type { DecisionHandler } from './decision-handler.ts'
import { decide } from './engine/facts.ts'
import type { Check } from './engine/question.ts'

/** Decides a batch of checks, in order. */
export const check: DecisionHandler<PermissionCheckRequest, PermissionCheckResponse> = {
  questions: ({ checks, context }) => {
    const input = { context }
    return { checks: checks.map((check) => ofCaller(check, input)) }
  },
  handle: (_context, { checks }, { bits }) => ({
    results: checks.map(({ service_name, resource_type, resource_id, action }, index) => ({
      service_name,
      resource_type,
      resource_id,
      action,
      allowed: decide(action, bits[index]),
    })),
  }),
  logLevel: 'debug',
  outcomes: ({ results }) => results.map(({ allowed }) => allowed),
}

/** Decides one check of a stream. */
export const checkStream: DecisionHandler<CheckStreamRequest, CheckStreamResponse> = {
  questions: ({ check, context }) => ({ checks: [check && ofCaller(check, { context })] }),
  handle: (_context, { correlation_id, check }, { bits }) => ({
    correlation_id,
    allowed: decide(check?.action ?? '', bits[0]),
  }),
  logLevel: 'debug',
  outcomes: ({ allowed }) => [allowed],
}

/** Returns a check about the caller. Copies no other field of the request, such as a subject. */
function ofCaller(
  { service_name, resource_type, resource_id, action }: PermissionCheck,
  input: ConditionInput,
): Check {
  return {
    serviceName: service_name,
    resourceType: resource_type,
    resourceId: resource_id,
    action,
    input,
  }
}
