import type { ShareItem } from '../../gen/daikon/v1/permissions.ts'
import { type FieldViolation, ServiceError } from '../core/errors.ts'
import type { OnProgress } from '../core/on-progress.ts'
import type { QuotaContext } from '../core/quotas.ts'
import type { RequestContext, WriteContext } from '../core/request-context.ts'
import type { ErrorNaming } from '../permissions/error-naming.ts'
import { ItemErrors } from '../permissions/item-errors.ts'
import { findShareErrors, shareAll } from '../permissions/share-all.ts'
import { readShares } from '../permissions/share-items.ts'
import type { ShareAllOptions, ShareStores } from '../permissions/share-preparation.ts'
import {
  createLineNaming,
  describeLineErrors,
  findItemViolations,
  listLineErrors,
} from './line-errors.ts'
import type { FileLine } from './record-file.ts'

/** The records of a file, and the names of their fields in errors. */
type ShareFile = { records: Pick<FileLine, 'fields'>[]; naming: ErrorNaming }

type Context = WriteContext<ShareStores> & Pick<RequestContext, 'now'> & QuotaContext

/**
 * Grants the shares of a file in one transaction, or none.
 *
 * @throws Error that lists the lines with errors
 */
export async function importShares(
  context: Context,
  lines: FileLine[],
  onProgress: OnProgress,
): Promise<{ granted: number }> {
  try {
    const file = { records: lines, naming: createLineNaming(lines) }
    return { granted: await grantRecords(context, file, onProgress) }
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    const lines = [...describeLineErrors(error), 'Nothing was shared.']
    throw new Error(lines.join('\n'), { cause: error })
  }
}

/**
 * Grants shares in one transaction, or none, and returns their number. `records` have the fields of a
 * file, for which `naming` has the names.
 *
 * @throws ServiceError with everything that is wrong
 */
export async function grantRecords(
  context: Context,
  file: ShareFile,
  onProgress: OnProgress,
): Promise<number> {
  const { stores } = context
  const { shares, errors, options } = readShareFile(context, file, onProgress)
  // Reads what the shares refer to only once, unless a problem may hide others.
  if (hasFieldErrors(shares, options.now, errors)) {
    await findShareErrors(stores, shares, options, errors)
    errors.throwAny()
  }
  const granted = await shareAll(stores, shares, options)
  if (granted.length > 0) await stores.shares.analyze()
  return granted.length
}

/** Returns everything that is wrong with a file, without granting anything. */
export async function checkShares(context: Context, lines: FileLine[]): Promise<string[]> {
  const file = { records: lines, naming: createLineNaming(lines, (found) => found) }
  const { shares, errors, options } = readShareFile(context, file, () => {})
  try {
    await findShareErrors(context.stores, shares, options, errors)
    errors.throwAny()
    return []
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code === 'unavailable') throw error
    return listLineErrors(error)
  }
}

/** Returns the shares of a file, how they are granted, and the errors of their fields. */
function readShareFile(
  { principal, now, quotas }: Context,
  file: ShareFile,
  onProgress: OnProgress,
): { shares: ShareItem[]; errors: ItemErrors; options: ShareAllOptions } {
  const naming = {
    ...file.naming,
    field: (index: number, name: string) => file.naming.field(index, toColumn(name)),
  }
  const errors = new ItemErrors(naming)
  const requests = file.records.map(({ fields }, index) => {
    errors.add(index, findConditionViolation(fields))
    return toShare(fields)
  })
  for (const { index, ...violation } of findItemViolations('shareBatch', 'shares', requests))
    errors.add(index, violation)
  const options = {
    principal,
    actor: { actorId: undefined },
    now,
    quotas,
    naming,
    onProgress: (done: number, total: number) => onProgress('Writing', done, total),
  }
  return { shares: requests as ShareItem[], errors, options }
}

function hasFieldErrors(shares: ShareItem[], now: Date, errors: ItemErrors): boolean {
  const valid = readShares(shares, now, errors)
  return valid.length < shares.length
}

/** Turns a line of the file into an item of the API, where the condition is an object and not only its name. */
function toShare({ condition, params, ...fields }: FileLine['fields']): object {
  if (condition === undefined) return fields
  return { ...fields, condition: { name: condition, ...(params !== undefined && { params }) } }
}

function findConditionViolation({
  condition,
  params,
}: FileLine['fields']): FieldViolation | undefined {
  if (params === undefined || condition !== undefined) return undefined
  return { field: 'params', message: 'requires condition' }
}

/** Returns the column of a field: `params.limit` for `condition.params.limit`. */
function toColumn(field: string): string {
  return field.replace(/^condition\.name$/, 'condition').replace(/^condition\.params/, 'params')
}
