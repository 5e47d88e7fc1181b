import { type CelValue, isCelList, isCelMap } from '@bufbuild/cel'
import { isNumber } from './values.ts'
import { stepsForCharacters, takeSteps, type Work } from './work.ts'

/** Compares two values other than strings, numbers, bools, null, lists and maps. */
export type EqualLeaves = (work: Work, left: CelValue, right: CelValue) => boolean

/** Compares values as CEL's `==` does. Each compared element is a step. */
export function areEqual(
  work: Work,
  left: CelValue,
  right: CelValue,
  equalLeaves: EqualLeaves,
): boolean {
  if (isCelList(left) && isCelList(right)) {
    if (left.size !== right.size || left.size === 0) {
      takeSteps(work, 1)
      return left.size === right.size
    }
    const others = right[Symbol.iterator]()
    for (const element of left) {
      if (!areEqual(work, element, others.next().value as CelValue, equalLeaves)) return false
    }
    return true
  }
  if (isCelMap(left) && isCelMap(right)) {
    if (left.size !== right.size || left.size === 0) {
      takeSteps(work, 1)
      return left.size === right.size
    }
    for (const [key, value] of left) {
      const other = right.get(key)
      if (other === undefined) {
        takeSteps(work, 1)
        return false
      }
      if (!areEqual(work, value, other, equalLeaves)) return false
    }
    return true
  }
  if (typeof left === 'string' && typeof right === 'string') {
    const compared = left.length === right.length ? left.length : 0
    takeSteps(work, Math.max(1, stepsForCharacters(compared)))
    return left === right
  }
  takeSteps(work, 1)
  if (left === right) return true
  const isScalar = (value: CelValue) => typeof value !== 'object' || value === null
  if (isScalar(left) && isScalar(right) && !(isNumber(left) && isNumber(right))) return false
  return equalLeaves(work, left, right)
}

/** Whether a list contains an element, or a map a key, as CEL's `in` does. */
export function isIn(
  work: Work,
  value: CelValue,
  container: CelValue,
  equalLeaves: EqualLeaves,
): boolean | undefined {
  if (isCelList(container)) {
    if (container.size === 0) takeSteps(work, 1)
    for (const element of container) if (areEqual(work, element, value, equalLeaves)) return true
    return false
  }
  if (!isCelMap(container)) return undefined
  const key = toKey(value)
  if (key === undefined) return undefined
  takeSteps(work, typeof key === 'string' ? 1 : Math.max(1, container.size))
  return container.get(key) !== undefined
}

type Key = string | bigint | boolean | number

/** Returns a value that can be a key of a map. Whole doubles equal integers. */
export function toKey(value: CelValue): Key | undefined {
  if (typeof value === 'string' || typeof value === 'bigint' || typeof value === 'boolean')
    return value
  if (typeof value === 'number') return value
  if (typeof value === 'object' && value !== null && isNumber(value))
    return (value as { value: bigint }).value
  return undefined
}
