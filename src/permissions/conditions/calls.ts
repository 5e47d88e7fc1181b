import { type CelValue, celList, isCelList } from '@bufbuild/cel'
import { hasValidDate } from '../../core/timestamp.ts'
import { areEqual, type EqualLeaves, isIn } from './equality.ts'
import { createFailure, type Failure, isFailure } from './failure.ts'
import { environment } from './functions.ts'
import { type LibraryCall, planLibraryCall } from './library-call.ts'
import { matches } from './regular-expression.ts'
import { isKnownZone } from './time-functions.ts'
import { stepsForCharacters, takeOperations, takeSteps, type Work } from './work.ts'

const equalInLibrary = planLibraryCall(environment, '_==_', false, 2)

const equalLeaves: EqualLeaves = (work, left, right) =>
  equalInLibrary(work, undefined, [left, right]) === true

/** Returns the function that evaluates a call: the library's, with its work counted. */
export function planCall(name: string, hasTarget: boolean, count: number): LibraryCall {
  const inLibrary = planLibraryCall(environment, name, hasTarget, count)
  const own = ownCalls[name]
  const cost = costOf(name)
  return (work, target, values) => {
    takeOperations(work, cost)
    if (name.startsWith('get')) chargeZone(work, values[0])
    const result = own?.(work, target === undefined ? values : [target, ...values])
    return result ?? callLibrary(inLibrary, work, target, values)
  }
}

type OwnCall = (work: Work, values: CelValue[]) => CelValue | Failure | undefined

/** The calls whose work depends on the values. Undefined leaves the call to the library. */
const ownCalls: Record<string, OwnCall> = {
  '_==_': (work, [left, right]) => areEqual(work, left as CelValue, right as CelValue, equalLeaves),
  '_!=_': (work, [left, right]) =>
    !areEqual(work, left as CelValue, right as CelValue, equalLeaves),
  '@in': (work, [value, container]) =>
    isIn(work, value as CelValue, container as CelValue, equalLeaves),
  '_+_': (work, [left, right]) => {
    if (!isCelList(left as CelValue) || !isCelList(right as CelValue)) return undefined
    const elements = [...(left as Iterable<CelValue>), ...(right as Iterable<CelValue>)]
    takeOperations(work, elements.length)
    return celList(elements)
  },
  matches: (work, [text, pattern]) =>
    typeof text === 'string' && typeof pattern === 'string'
      ? matches(work, text, pattern)
      : undefined,
  timestamp: (_work, [text]) =>
    typeof text === 'string' && !hasValidDate(text)
      ? createFailure(`${JSON.stringify(text.slice(0, 40))} is not a time`)
      : undefined,
  contains: (work, [text, part]) => {
    // The search may compare each character of the text with each of the part.
    if (typeof text === 'string' && typeof part === 'string')
      takeOperations(work, Math.ceil((text.length * part.length) / 1_000))
    return undefined
  },
}

/** The operations that calls count for, if they cost much more than a comparison. */
function costOf(name: string): number {
  if (name === 'in_cidr') return 100
  return name.startsWith('get') || name === 'timestamp' || name === 'duration' ? 20 : 0
}

const operationsPerZone = 1_000

/** A time zone needs a formatter, which takes long to create. */
function chargeZone(work: Work, zone: CelValue | undefined): void {
  if (typeof zone === 'string' && !isKnownZone(zone)) takeOperations(work, operationsPerZone)
}

function callLibrary(
  call: LibraryCall,
  work: Work,
  target: CelValue | undefined,
  values: CelValue[],
): CelValue | Failure {
  takeSteps(work, stepsForCharacters(lengthOf(target) + values.reduce(addLength, 0)))
  const result = call(work, target, values)
  if (!isFailure(result)) takeSteps(work, stepsForCharacters(lengthOf(result)))
  return result
}

function addLength(sum: number, value: CelValue): number {
  return sum + lengthOf(value)
}

function lengthOf(value: CelValue | undefined): number {
  return typeof value === 'string' || value instanceof Uint8Array ? value.length : 0
}
