import type {
  ConditionResult,
  ConditionSample,
  EvaluateConditionRequest,
} from '../../gen/daikon/v1/admin_conditions.ts'
import { type FieldViolation, invalidArgument } from '../core/errors.ts'
import type { RequestContext } from '../core/request-context.ts'
import {
  type ConditionVariables,
  compileCondition,
  evaluateCondition as evaluateCompiled,
} from './conditions/condition.ts'
import { type ParameterType, parseParameterTypes } from './conditions/parameter-type.ts'
import { convertParameters, findPatternViolations } from './conditions/parameters.ts'
import { fromDate, fromJson, type Json } from './conditions/values.ts'
import { agentFields, resourceFields, subjectFields } from './conditions/variables.ts'
import { createCallWork } from './conditions/work.ts'

/** Compiles a condition and evaluates it with a sample request. */
export async function evaluateCondition(
  { now }: RequestContext,
  { expression, parameters, params, sample }: EvaluateConditionRequest,
): Promise<ConditionResult> {
  const types = parseTypes(parameters ?? {})
  const compiled = compileCondition(expression, types)
  if ('problem' in compiled) {
    const { message, line, column } = compiled.problem
    return { result: false, error: message, line, column, missing: [] }
  }
  const converted = convertParameters(types, params ?? {})
  if ('violations' in converted) throw invalidArgument(...prefixed('params', converted.violations))
  const violations = findPatternViolations(compiled.condition.reads, params ?? {})
  if (violations.length > 0) throw invalidArgument(...prefixed('params', violations))
  const variables = toVariables(sample ?? {}, now)
  const verdict = evaluateCompiled(
    compiled.condition,
    variables,
    converted.values,
    createCallWork(),
  )
  return { ...verdict, missing: [...verdict.missing] }
}

function parseTypes(parameters: Record<string, unknown>): Map<string, ParameterType> {
  const { types, violations } = parseParameterTypes(parameters)
  if (violations.length > 0) throw invalidArgument(...prefixed('parameters', violations))
  return types
}

/** Puts the fields of violations under a parent field. */
export function prefixed(parent: string, violations: FieldViolation[]): FieldViolation[] {
  return violations.map(({ field, message }) => ({ field: `${parent}.${field}`, message }))
}

function toVariables(sample: ConditionSample, now: Date): ConditionVariables {
  const { subject, resource, agent, action, context, properties } = sample
  const attributes = resource?.attributes ?? {}
  return {
    subject: fromJson({ ...withFields(subjectFields, subject), guest: subject?.guest ?? false }),
    resource: fromJson({ ...withFields(resourceFields, resource), attributes }),
    agent: fromJson(withFields(agentFields, agent)),
    action: action ?? '',
    context: fromJson((context ?? {}) as Json),
    properties: fromJson({ subject: {}, resource: {}, action: {}, ...properties }),
    now: fromDate(sample.now === undefined ? now : new Date(sample.now)),
  }
}

/** Returns the fields of a sample. Absent ones are empty, as in a request. */
function withFields(names: readonly string[], values: Record<string, unknown> = {}) {
  return Object.fromEntries(names.map((name) => [name, (values[name] ?? '') as Json]))
}
