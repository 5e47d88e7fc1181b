import { type FieldViolation, invalidArgument, ServiceError } from '../core/errors.ts'
import type { ErrorNaming } from './error-naming.ts'

/** The maximum number of violations in one error. */
export const maxViolations = 1000

/** Collects the errors of the items of a call. */
export class ItemErrors {
  readonly #naming: ErrorNaming
  readonly #violations: { index: number; violation: FieldViolation }[] = []
  readonly #indexes = new Set<number>()

  constructor(naming: ErrorNaming) {
    this.#naming = naming
  }

  add(index: number, violation: FieldViolation | undefined): void {
    if (!violation) return
    this.#violations.push({ index, violation })
    this.#indexes.add(index)
  }

  /** Returns whether an item has errors. */
  has(index: number): boolean {
    return this.#indexes.has(index)
  }

  /** Returns what `read` returns. If it throws `invalid_argument`, adds its violations. */
  capture<Value>(index: number, read: () => Value): Value | undefined {
    try {
      return read()
    } catch (error) {
      if (!(error instanceof ServiceError) || error.code !== 'invalid_argument') throw error
      for (const violation of error.violations) this.add(index, violation)
      return undefined
    }
  }

  /** Throws `invalid_argument` with all errors in the order of the items, if there are any. */
  throwAny(): void {
    if (this.#violations.length === 0) return
    const sorted = this.#violations.toSorted((a, b) => a.index - b.index).slice(0, maxViolations)
    throw invalidArgument(
      ...sorted.map(({ index, violation: { field, message } }) => ({
        field: this.#naming.field(index, field),
        message,
      })),
    )
  }
}
