import {
  compileCondition,
  evaluateCondition,
  type Verdict,
} from '../../../src/permissions/conditions/condition.ts'
import {
  type ParameterType,
  parseParameterType,
} from '../../../src/permissions/conditions/parameter-type.ts'
import { convertParameters } from '../../../src/permissions/conditions/parameters.ts'
import type { ExpressionProblem } from '../../../src/permissions/conditions/problem.ts'
import { fromDate, fromJson, type Json } from '../../../src/permissions/conditions/values.ts'
import {
  type CallWork,
  createCallWork,
  maxCallSteps,
} from '../../../src/permissions/conditions/work.ts'

type Sample = {
  context?: Json
  attributes?: Json
  properties?: Json
  types?: Record<string, string>
  params?: Record<string, unknown>
  work?: CallWork
}

export function parseTypes(types: Record<string, string>): Map<string, ParameterType> {
  return new Map(
    Object.entries(types).map(([name, type]) => [name, parseParameterType(type) as ParameterType]),
  )
}

/** Returns the problem of an expression, if it has one. */
export function problemOf(
  expression: string,
  types: Record<string, string> = {},
): ExpressionProblem | undefined {
  const compiled = compileCondition(expression, parseTypes(types))
  return 'problem' in compiled ? compiled.problem : undefined
}

/** Compiles and evaluates a condition, on Monday 2026-01-05, 12:00 UTC. Throws if it is refused. */
export function tryCondition(
  expression: string,
  { context = {}, attributes = {}, properties, types = {}, params = {}, work }: Sample = {},
): Verdict & { steps: number } {
  const declared = parseTypes(types)
  const compiled = compileCondition(expression, declared)
  if ('problem' in compiled) throw new Error(compiled.problem.message)
  const converted = convertParameters(declared, params)
  if ('violations' in converted) throw new Error(JSON.stringify(converted.violations))
  const variables = {
    subject: fromJson({
      id: 'anna',
      external_id: '',
      type: 'user',
      email: 'anna@example.com',
      role: 'viewer',
    }),
    resource: fromJson({
      id: 'r1',
      external_id: 'file-1',
      type: 'file',
      workspace_id: 'w1',
      owner_id: 'anna',
      visibility: 'private',
      attributes,
    }),
    action: 'view',
    context: fromJson(context),
    properties: fromJson(properties ?? { subject: {}, resource: {}, action: {} }),
    now: fromDate(new Date('2026-01-05T12:00:00Z')),
  }
  const callWork = work ?? createCallWork()
  const verdict = evaluateCondition(compiled.condition, variables, converted.values, callWork)
  return { ...verdict, steps: maxCallSteps - callWork.steps }
}
