import { type FieldViolation, ServiceError } from '../core/errors.ts'
import type { ErrorNaming } from '../permissions/error-naming.ts'
import { truncateLines } from './input-file.ts'
import type { FileLine } from './record-file.ts'
import { createRequestValidator } from './require-valid.ts'

/** The number of lines of a file that one request or transaction takes. */
export const batchSize = 1000

/** Names fields in the form `Line 7: owner_id`. `shorten` limits the lines of a message. */
export function createLineNaming(lines: FileLine[], shorten = truncateLines): ErrorNaming {
  return {
    field: (index, name) => `Line ${lines[index]?.line}${name && `: ${name}`}`,
    detail: (fields, message) => shorten(fields.map((field) => `${field}: ${message}`)).join('\n'),
  }
}

/** Describes an error whose fields `createLineNaming` has named, a line for each problem. */
export function describeLineErrors(error: ServiceError): string[] {
  return truncateLines(listLineErrors(error))
}

/** Like `describeLineErrors`, with all problems. */
export function listLineErrors({ message, violations }: ServiceError): string[] {
  return violations.length > 0 ? describeViolations(violations) : message.split('\n')
}

export function describeViolations(violations: FieldViolation[]): string[] {
  return violations.map(({ field, message }) => `${field} ${message}`)
}

/**
 * Applies the field rules of a batch method of PermissionService to its items, which are in the field
 * `list` of its request. Returns what is wrong with them, in their order.
 */
export function findItemViolations(
  key: string,
  list: string,
  items: object[],
): (FieldViolation & { index: number })[] {
  const validate = createRequestValidator('PermissionService', key)
  const found: (FieldViolation & { index: number })[] = []
  for (let start = 0; start < items.length; start += batchSize) {
    try {
      validate({ [list]: items.slice(start, start + batchSize) })
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error
      for (const { field, message } of error.violations) {
        const [, position = '', name = ''] = /^\w+\[(\d+)\]\.?(.*)$/.exec(field) ?? []
        found.push({ index: start + Number(position), field: name, message })
      }
    }
  }
  return found.toSorted((a, b) => a.index - b.index)
}
