import type { ConditionInput } from '../conditions/condition-input.ts'

/** The entities of an AuthZEN request, of which only properties are read. */
type Entities = {
  [Name in 'subject' | 'action' | 'resource']?: { properties?: Properties } | undefined
} & { context?: Properties }

type Properties = Record<string, unknown> | undefined

/** Returns what conditions read of an AuthZEN request. */
export function readInput({ subject, action, resource, context }: Entities): ConditionInput {
  return {
    context,
    properties: {
      subject: subject?.properties,
      resource: resource?.properties,
      action: action?.properties,
    },
  }
}
