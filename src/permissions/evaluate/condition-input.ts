import type { ConditionInput } from '../conditions/condition-input.ts'

/** The entities of an AuthZEN request, of which only properties are read. */
type Entities = {
  [Name in 'subject' | 'action' | 'resource']?: { properties?: Properties } | undefined
} & { context?: Properties }

type Properties = Record<string, unknown> | undefined

/** Shared by the requests without anything to read. */
const noInput: ConditionInput = {}

/** Returns what conditions read of an AuthZEN request. */
export function readInput({ subject, action, resource, context }: Entities): ConditionInput {
  const properties = subject?.properties ?? action?.properties ?? resource?.properties
  if (!context && !properties) return noInput
  return {
    context,
    properties: {
      subject: subject?.properties,
      resource: resource?.properties,
      action: action?.properties,
    },
  }
}
