import { type CelValue, isCelList, isCelMap } from '@bufbuild/cel'
import { toKey } from './equality.ts'
import { createFailure, type Failure } from './failure.ts'
import type { SelectedPath } from './path.ts'
import { takeOperations, type Work } from './work.ts'

/** The failure of a selection whose member does not exist. */
export function noSuchKey(path: SelectedPath | undefined): Failure {
  if (!path) return createFailure('no such key')
  const { text, isOfRequest } = path
  return createFailure(`${text} is missing`, isOfRequest ? [text] : [])
}

/** Returns the member of a map or list, or undefined if there is none. */
export function findMember(
  work: Work,
  value: CelValue,
  name: CelValue,
): CelValue | Failure | undefined {
  if (isCelMap(value)) {
    const key = toKey(name)
    if (key === undefined) return createFailure('this type cannot be the key of a map')
    // The library looks for unsigned keys one by one.
    if (typeof key !== 'string') takeOperations(work, value.size)
    return value.get(key)
  }
  if (!isCelList(value)) return createFailure('only maps and lists have members')
  const index = toKey(name)
  if (typeof index !== 'bigint' && !(typeof index === 'number' && Number.isInteger(index)))
    return createFailure('the index of a list is an integer')
  return value.get(Number(index)) ?? missingElement(value.size, Number(index))
}

function missingElement(size: number, index: number): CelValue | Failure {
  return index >= 0 && index < size ? null : createFailure(`the list has no element ${index}`)
}
