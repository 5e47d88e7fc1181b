import { CelScalar, type CelType, listType, objectType } from '@bufbuild/cel'
import { DurationSchema, TimestampSchema } from '@bufbuild/protobuf/wkt'
import type { FieldViolation } from '../../core/errors.ts'

const scalars = {
  string: CelScalar.STRING,
  int: CelScalar.INT,
  double: CelScalar.DOUBLE,
  bool: CelScalar.BOOL,
  timestamp: objectType(TimestampSchema),
  duration: objectType(DurationSchema),
} as const satisfies Record<string, CelType>

export type ScalarName = keyof typeof scalars

/** The declared type of a parameter. */
export type ParameterType =
  | { kind: 'scalar'; name: ScalarName }
  | { kind: 'list'; element: ParameterType }

const parameterNamePattern = /^[a-z][a-z0-9_]{0,63}$/

/** How many lists can be inside each other in the type of a parameter. */
const maxListDepth = 4

/** Completes "<field> …" for the type of a parameter that `parseParameterType` refuses. */
const parameterTypeMessage =
  'must be string, int, double, bool, timestamp, duration, or a list of one of them, such as list<string>'

/** Parses the name of a type, such as `int` or `list<string>`. Undefined if it is not a type. */
export function parseParameterType(text: string, depth = 0): ParameterType | undefined {
  if (Object.hasOwn(scalars, text)) return { kind: 'scalar', name: text as ScalarName }
  const element = /^list<(.*)>$/.exec(text)?.[1]
  if (element === undefined || depth === maxListDepth) return undefined
  const type = parseParameterType(element, depth + 1)
  return type && { kind: 'list', element: type }
}

export function toCelType(type: ParameterType): CelType {
  return type.kind === 'list' ? listType(toCelType(type.element)) : scalars[type.name]
}

/** Parses declared parameters. Violations have the names of the parameters as fields. */
export function parseParameterTypes(parameters: Readonly<Record<string, unknown>>): {
  types: Map<string, ParameterType>
  violations: FieldViolation[]
} {
  const types = new Map<string, ParameterType>()
  const violations: FieldViolation[] = []
  for (const [name, text] of Object.entries(parameters)) {
    const type = typeof text === 'string' ? parseParameterType(text) : undefined
    if (!parameterNamePattern.test(name))
      violations.push({ field: name, message: `must match ${parameterNamePattern.source}` })
    else if (type) types.set(name, type)
    else violations.push({ field: name, message: parameterTypeMessage })
  }
  return { types, violations }
}
