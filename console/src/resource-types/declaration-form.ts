import type { Schemas } from '../api/client.ts'

export type ResourceType = Schemas['ResourceType']
export type ResourceRole = Schemas['ResourceRole']
export type ResourceCondition = Schemas['ResourceCondition']

/** A parameter of a condition in the form, where it is an item of a list. */
export type ParameterFields = { name: string; type: string }

export type ConditionFields = Omit<ResourceCondition, 'parameters'> & {
  parameters: ParameterFields[]
}

/** The declaration of a resource type as its form has it. */
export type DeclarationFields = {
  resource_type: string
  description: string
  allow_public: boolean
  roles: ResourceRole[]
  conditions: ConditionFields[]
  requirements: ResourceType['requirements']
}

export const emptyRole = { name: '', description: '', actions: [] as string[] }

export const emptyCondition = {
  name: '',
  description: '',
  expression: '',
  parameters: [] as ParameterFields[],
}

/** The types of parameters that the form offers. */
export const parameterTypes = ['string', 'int', 'double', 'bool', 'timestamp', 'duration'].flatMap(
  (name) => [name, `list<${name}>`],
)

/** Returns the fields of a declaration, or those of a new one with a first role. */
export function toFields(type: ResourceType | undefined): DeclarationFields {
  return {
    resource_type: type?.resource_type ?? '',
    description: type?.description ?? '',
    allow_public: type?.allow_public ?? false,
    roles: type?.roles ?? [emptyRole],
    conditions: (type?.conditions ?? []).map(({ parameters, ...condition }) => ({
      ...condition,
      parameters: Object.entries(parameters).map(([name, type]) => ({ name, type: String(type) })),
    })),
    requirements: type?.requirements ?? [],
  }
}

/** Returns the conditions of a form as the API has them. */
export function toConditions(conditions: ConditionFields[]): ResourceCondition[] {
  return conditions.map((condition) => ({
    ...condition,
    parameters: toParameters(condition.parameters),
  }))
}

/** Returns the types of parameters by their names. */
export function toParameters(parameters: ParameterFields[]): Record<string, string> {
  return Object.fromEntries(parameters.map(({ name, type }) => [name, type]))
}
