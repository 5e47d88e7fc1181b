import { queryOptions } from '@tanstack/react-query'
import { api, type Schemas, unwrap } from '../api/client.ts'
import type { JsonObject } from '../ui/json-object.ts'

export type ConditionResult = Schemas['ConditionResult']

/** The place of a mistake in an expression, starting at 1. */
export type Mistake = { line: number; column: number; message: string }

type Condition = { expression: string; parameters: Record<string, string> }

/** What an administrator tries a condition with: the request, and values of the parameters. */
export type Sample = { params?: JsonObject | undefined } & JsonObject

/** Evaluates a condition with a sample. Nothing is stored. */
export function evaluateCondition(condition: Condition, sample: Sample): Promise<ConditionResult> {
  const { params = {}, ...request } = sample
  // The generated types of objects with any members have none.
  const body = { ...condition, params, sample: request } as Schemas['EvaluateConditionRequest']
  return unwrap(api.POST('/admin/conditions/evaluate', { body }))
}

/** Compiles an expression. Returns the mistake in it; null without one. */
export function mistakeQuery({ expression, parameters }: Condition) {
  return queryOptions({
    queryKey: ['conditions', 'mistake', expression, parameters],
    queryFn: async (): Promise<Mistake | null> => {
      // Values of parameters are judged after the expression, and only if it has no mistake.
      const result = await evaluateCondition({ expression, parameters }, {}).catch(() => undefined)
      if (!result?.line || !result.column) return null
      return { line: result.line, column: result.column, message: result.error ?? '' }
    },
    enabled: expression.trim() !== '',
    staleTime: Number.POSITIVE_INFINITY,
  })
}
