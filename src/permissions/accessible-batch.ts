import { arrayLiteral, textElement } from '../database/sql-values.ts'
import { grantsRowOf } from './accessible-caller.ts'
import { actionElement, createKindTable } from './batch-parameters.ts'
import type { CallerQuery } from './decision.ts'
import type { PrincipalStatus } from './facts.ts'
import { readStatus } from './facts-batch.ts'

/**
 * The caller whose resources to list, and the page to load. IDs must be UUIDs. If `keyHash` is
 * undefined, the list does not depend on a service key: none is required, or it has already been
 * verified. If `keyHash` is empty, the required key is missing.
 */
export type AccessibleQuery = CallerQuery & {
  service_name: string
  resource_type: string
  action: string
  firstId: string
  limit: number
}

/** A list, and the status of the caller from the same snapshot. */
export type AccessibleIds = {
  status: PrincipalStatus
  /** The IDs from `firstId` on, ascending, joined by `idSeparator`. */
  joinedIds: string
  hasFullAccess: boolean
}

/** A list. The IDs are null if they must be loaded by a separate statement. */
export type AccessibleResult = Omit<AccessibleIds, 'joinedIds'> & {
  joinedIds: string | null
  mayHaveFolders: boolean
}

/** The row of a query in the result of `accessibleSql` or `accessibleWithFoldersSql`. */
export type AccessibleRow = [
  index: number,
  keysRequired: boolean,
  service: string | null,
  status: number,
  mayHaveFolders: boolean,
  joinedIds: string | null,
  hasFullAccess: boolean,
]

/** Returns the result of each query, in order. */
export function readAccessible(rows: AccessibleRow[]): AccessibleResult[] {
  const results: AccessibleResult[] = []
  for (const row of rows) {
    const [index, keysRequired, service, status, mayHaveFolders, joinedIds, hasFullAccess] = row
    results[index] = {
      status: readStatus(status, keysRequired, service),
      mayHaveFolders,
      joinedIds,
      hasFullAccess,
    }
  }
  return results
}

/** Returns $1 to $13 of both statements. Each distinct key and kind is sent only once. */
export function createAccessibleParameters(queries: AccessibleQuery[]): string[] {
  const kinds = createKindTable()
  const kindPositions = queries.map(({ service_name, resource_type }) =>
    kinds.add(service_name, resource_type),
  )
  const hashes: string[] = []
  // Positions in the array, from 1 as in PostgreSQL.
  const keyPositions = new Map<string, number>()
  const keys = queries.map(({ keyHash }) => {
    if (keyHash === undefined) return undefined
    const position = keyPositions.get(keyHash) ?? hashes.push(textElement(keyHash))
    keyPositions.set(keyHash, position)
    return position
  })
  return [
    hashes,
    kinds.services,
    kinds.types,
    queries.map(({ tokenId }) => tokenId),
    queries.map(({ userId }) => userId),
    queries.map(({ workspaceId }) => workspaceId),
    keys,
    kindPositions,
    queries.map(({ firstId }) => firstId),
    queries.map(({ limit }) => limit),
    queries.map(({ action }) => actionElement(action)),
    queries.map(({ action }) => grantsRowOf(action)),
    queries.map(({ action }) => String(action === 'view')),
  ].map(arrayLiteral)
}
