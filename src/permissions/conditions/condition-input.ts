import type { CelValue } from '@bufbuild/cel'
import { fromJson, type Json } from './values.ts'

type JsonObject = Record<string, unknown>

/** What conditions read of a request. */
export type ConditionInput = {
  context?: JsonObject | undefined
  properties?: {
    subject?: JsonObject | undefined
    resource?: JsonObject | undefined
    action?: JsonObject | undefined
  }
}

/** The values of the variables `context` and `properties`. */
export type InputVariables = Record<'context' | 'properties', CelValue>

const converted = new WeakMap<ConditionInput, InputVariables>()

/** Converts an input at its first use, because conditions rarely read it. */
export function convertInput(input: ConditionInput): InputVariables {
  const existing = converted.get(input)
  if (existing) return existing
  const { context = {}, properties = {} } = input
  const { subject = {}, resource = {}, action = {} } = properties
  const variables = {
    context: fromJson(context as Json),
    properties: fromJson({ subject, resource, action } as Json),
  }
  converted.set(input, variables)
  return variables
}
