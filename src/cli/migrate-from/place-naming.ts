import { type FieldViolation, invalidArgument } from '../../core/errors.ts'
import type { ErrorNaming } from '../../permissions/error-naming.ts'
import { truncateLines } from '../input-file.ts'
import type { Row } from './plan.ts'
import { describePlace, type Problem } from './tuple.ts'

/** Names fields of rows in the form `export.json:7:12: owner_email`. */
export function createPlaceNaming(
  path: string,
  rows: Pick<Row, 'place' | 'places'>[],
): ErrorNaming {
  return {
    field(index, name) {
      const row = rows[index]
      const [first = ''] = name.split('.', 1)
      const place = row?.places.get(first) ?? row?.place ?? { line: 1, column: 1 }
      return `${describePlace(path, place)}:${name && ` ${name}`}`
    },
    detail: (fields, message) =>
      truncateLines(fields.map((field) => `${field.replace(/:?$/, ':')} ${message}`)).join('\n'),
  }
}

/** Throws `invalid_argument` with the problems of a file, if there are any. */
export function requireNoProblems(path: string, problems: Problem[]): void {
  if (problems.length > 0) throw invalidArgument(...toViolations(path, problems))
}

export function toViolations(path: string, problems: Problem[]): FieldViolation[] {
  return problems.map(({ place, message }) => ({
    field: `${describePlace(path, place)}:`,
    message,
  }))
}
