import { arrayLiteral, textElement } from '../database/sql-values.ts'
import { builtInActions } from './access.ts'
import { grantsRowOf } from './accessible-caller.ts'
import type { CallerQuery } from './decision.ts'
import type { PrincipalStatus } from './facts.ts'
import { readStatus } from './facts-batch.ts'

/**
 * Whose resources to list. Ids must be UUIDs. Without `keyHash`, the list does not depend on a service key:
 * none is required, or it was verified before. An empty one stands for a missing key.
 */
export type AccessibleQuery = CallerQuery & {
  service_name: string
  resource_type: string
  action: string
  firstId: string
  limit: number
}

/** A list, and the status of the caller in the same snapshot. */
export type AccessibleIds = {
  status: PrincipalStatus
  /** Ascending, from the first id of the query on, joined by `idSeparator`. */
  joinedIds: string
  hasFullAccess: boolean
}

/** A list of which the ids are null if they take a statement of their own. */
export type AccessibleResult = Omit<AccessibleIds, 'joinedIds'> & {
  joinedIds: string | null
  mayHaveFolders: boolean
}

/** The row of a query in the result of both statements. */
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

/** The parameters of both statements. Keys and kinds that queries have in common are sent once. */
export function createAccessibleParameters(queries: AccessibleQuery[]): string[] {
  const services: string[] = []
  const types: string[] = []
  // Positions in the arrays, from 1 as in PostgreSQL.
  const kindPositions = new Map<string, number>()
  const kinds = queries.map(({ service_name, resource_type }) => {
    // Neither name can contain a line break.
    const kind = `${service_name}\n${resource_type}`
    const known = kindPositions.get(kind)
    if (known !== undefined) return known
    services.push(textElement(service_name))
    const position = types.push(textElement(resource_type))
    kindPositions.set(kind, position)
    return position
  })
  const hashes: string[] = []
  const keyPositions = new Map<string, number>()
  const keys = queries.map(({ keyHash }) => {
    if (keyHash === undefined) return undefined
    const position = keyPositions.get(keyHash) ?? hashes.push(textElement(keyHash))
    keyPositions.set(keyHash, position)
    return position
  })
  return [
    hashes,
    services,
    types,
    queries.map(({ tokenId }) => tokenId),
    queries.map(({ userId }) => userId),
    queries.map(({ workspaceId }) => workspaceId),
    keys,
    kinds,
    queries.map(({ firstId }) => firstId),
    queries.map(({ limit }) => limit),
    queries.map(({ action }) =>
      builtInActions.includes(action) ? undefined : textElement(action),
    ),
    queries.map(({ action }) => grantsRowOf(action)),
    queries.map(({ action }) => String(action === 'view')),
  ].map(arrayLiteral)
}
