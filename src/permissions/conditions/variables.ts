import { CelScalar, type CelType, mapType, objectType } from '@bufbuild/cel'
import { TimestampSchema } from '@bufbuild/protobuf/wkt'

const { BOOL, DYN, STRING } = CelScalar
const object = mapType(STRING, DYN)

/** The fields of `subject` that are strings. One that the subject does not have is ''. */
export const subjectFields = ['id', 'external_id', 'type', 'email', 'role'] as const

/** The fields of `resource` that are strings. */
export const resourceFields = [
  'id',
  'external_id',
  'type',
  'workspace_id',
  'owner_id',
  'visibility',
] as const

/** The fields of `agent`, which are strings: '' if a person asks without an agent. */
export const agentFields = ['type', 'id'] as const

/** Software that acts for a user: `type` is `service_account` or `client`. */
export type Agent = Record<(typeof agentFields)[number], string>

/** The variables that an expression can read. */
export const variableTypes = {
  subject: object,
  resource: object,
  agent: object,
  action: STRING,
  context: object,
  properties: object,
  params: object,
  now: objectType(TimestampSchema),
} as const satisfies Record<string, CelType>

export type VariableName = keyof typeof variableTypes

export function isVariableName(name: string): name is VariableName {
  return Object.hasOwn(variableTypes, name)
}

/** The fields of each variable whose fields are declared. */
export function declaredFields(
  parameters: ReadonlyMap<string, CelType>,
): Partial<Record<VariableName, ReadonlyMap<string, CelType>>> {
  const strings = (names: readonly string[]) => names.map((name) => [name, STRING] as const)
  return {
    subject: new Map<string, CelType>([...strings(subjectFields), ['guest', BOOL]]),
    agent: new Map<string, CelType>(strings(agentFields)),
    resource: new Map<string, CelType>([...strings(resourceFields), ['attributes', object]]),
    params: parameters,
  }
}
