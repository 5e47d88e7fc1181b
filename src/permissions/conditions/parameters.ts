import { type CelValue, celList } from '@bufbuild/cel'
import type { FieldViolation } from '../../core/errors.ts'
import { isTimestamp } from '../../core/timestamp.ts'
import type { Reads } from './check-expression.ts'
import { isFailure } from './failure.ts'
import { environment } from './functions.ts'
import { planLibraryCall } from './library-call.ts'
import type { ParameterType, ScalarName } from './parameter-type.ts'
import { maxPatternLength } from './regular-expression.ts'
import { type CallWork, createCallWork, createWork, takeCallOperations } from './work.ts'

/** The values of parameters, as expressions read them. */
export type ParameterValues = ReadonlyMap<string, CelValue>

/**
 * Converts the values of all parameters of a condition. Returns violations whose fields are the
 * names of the parameters if a value is missing, unknown, or not of the declared type.
 */
export function convertParameters(
  types: ReadonlyMap<string, ParameterType>,
  params: Readonly<Record<string, unknown>>,
): { values: ParameterValues } | { violations: FieldViolation[] } {
  const violations: FieldViolation[] = Object.keys(params)
    .filter((name) => !types.has(name))
    .map((name) => ({ field: name, message: 'is not a parameter of the condition' }))
  const values = new Map<string, CelValue>()
  for (const [name, type] of types) {
    const param = Object.hasOwn(params, name) ? params[name] : undefined
    const value = param === undefined ? undefined : convert(type, param)
    if (value !== undefined) values.set(name, value)
    else violations.push({ field: name, message: describe(type, param) })
  }
  return violations.length > 0 ? { violations } : { values }
}

/** Returns violations for regular expressions that are longer than a condition may read. */
export function findPatternViolations(
  { patterns }: Reads,
  params: Readonly<Record<string, unknown>>,
): FieldViolation[] {
  const message = `must be a regular expression of at most ${maxPatternLength} characters`
  return [...patterns]
    .filter((name) => isLongPattern(params[name]))
    .map((name) => ({ field: name, message }))
}

/** Whether a value is too long for a regular expression. */
export function isLongPattern(param: unknown): boolean {
  return typeof param === 'string' && param.length > maxPatternLength
}

/** Takes the work of a conversion from a call. Throws if the call has not so much left. */
export function chargeConversion(
  work: CallWork,
  types: ReadonlyMap<string, ParameterType>,
  params: Readonly<Record<string, unknown>>,
): void {
  let operations = 0
  for (const [name, type] of types) operations += conversionCost(type, params[name])
  takeCallOperations(work, operations)
}

/** Operations for a value. The library parses times. */
function conversionCost(type: ParameterType, param: unknown): number {
  if (type.kind === 'scalar')
    return type.name === 'timestamp' || type.name === 'duration' ? 40 : 0.5
  if (!Array.isArray(param)) return 0
  return param.reduce((sum, element) => sum + conversionCost(type.element, element), 1)
}

function describe(type: ParameterType, param: unknown): string {
  return param === undefined ? 'is required' : `must be ${expected(type)}`
}

function expected(type: ParameterType): string {
  return type.kind === 'list'
    ? `a list, each item ${expected(type.element)}`
    : scalars[type.name].expected
}

function convert(type: ParameterType, param: unknown): CelValue | undefined {
  if (type.kind === 'scalar') return scalars[type.name].convert(param)
  if (!Array.isArray(param)) return undefined
  const elements = param.map((element) => convert(type.element, element))
  return elements.includes(undefined) ? undefined : celList(elements as CelValue[])
}

type Scalar = { expected: string; convert: (param: unknown) => CelValue | undefined }

const scalars: Record<ScalarName, Scalar> = {
  string: {
    expected: 'a string',
    convert: (param) => (typeof param === 'string' ? param : undefined),
  },
  bool: {
    expected: 'true or false',
    convert: (param) => (typeof param === 'boolean' ? param : undefined),
  },
  double: {
    expected: 'a number',
    convert: (param) => (typeof param === 'number' ? param : undefined),
  },
  int: {
    expected: 'a whole number up to 2^53, or a string with up to 64 bits in decimal digits',
    convert: toInt,
  },
  timestamp: {
    expected: 'a timestamp as in RFC 3339, such as "2026-01-31T09:00:00Z"',
    convert: toTimestamp,
  },
  duration: {
    expected: 'a duration in seconds, such as "90s"',
    convert: toDuration,
  },
}

function toInt(param: unknown): bigint | undefined {
  if (typeof param === 'number')
    return Number.isInteger(param) && Math.abs(param) <= 2 ** 53 ? BigInt(param) : undefined
  if (typeof param !== 'string' || !/^-?\d{1,19}$/.test(param)) return undefined
  const value = BigInt(param)
  return BigInt.asIntN(64, value) === value ? value : undefined
}

const duration = /^-?\d{1,12}(\.\d{1,9})?s$/

const callTimestamp = planLibraryCall(environment, 'timestamp', false, 1)
const callDuration = planLibraryCall(environment, 'duration', false, 1)

function toTimestamp(param: unknown): CelValue | undefined {
  if (typeof param !== 'string' || !isTimestamp(param)) return undefined
  return callWith(callTimestamp, param)
}

function toDuration(param: unknown): CelValue | undefined {
  if (typeof param !== 'string' || !duration.test(param)) return undefined
  return callWith(callDuration, param)
}

function callWith(call: typeof callTimestamp, text: string): CelValue | undefined {
  const value = call(createWork(createCallWork()), undefined, [text])
  return isFailure(value) ? undefined : value
}
