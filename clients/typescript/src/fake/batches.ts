import { type Field, InvalidArgumentError, invalidArgument } from '../errors.ts'

/**
 * Returns what `read` returns for each item. If it fails for any, undoes all and throws the problems
 * with fields such as `shares[3].grantee`.
 */
export function readAll<Item, Result>(
  list: string,
  items: readonly Item[],
  read: (item: Item) => Result,
  undo: () => void,
): Result[] {
  const fields: Field[] = []
  const results = items.flatMap((item, index) => {
    try {
      return [read(item)]
    } catch (error) {
      if (!(error instanceof InvalidArgumentError)) {
        undo()
        throw error
      }
      for (const { field, message } of error.fields)
        fields.push({ field: `${list}[${index}].${field}`, message })
      return []
    }
  })
  if (fields.length === 0) return results
  undo()
  throw invalidArgument(...fields)
}
