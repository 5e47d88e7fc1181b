import { roles } from '../core/roles.ts'
import { arrayLiteral } from '../database/sql-values.ts'
import { actionElement, createKindTable } from './batch-parameters.ts'
import type { Facts, FactsQuery, PrincipalStatus } from './facts.ts'
import { roleShift, statusBit } from './facts-query.ts'
import type { GroupLookup } from './grants-query.ts'

/** The parameters of one facts statement for several queries, and how to read its row. */
export type FactsBatch = {
  lookup: GroupLookup
  parameters: string[]
  /** Returns the facts of each query, in order. */
  read(row: FactsRow): Facts[]
}

/**
 * The minimum average number of checks per query at which reading all groups of the principals is
 * faster.
 */
const minChecksToHash = 16

/** The row of the facts statement. The last two columns are array literals. */
export type FactsRow = [
  keysRequired: boolean,
  services: (string | null)[] | null,
  statuses: string,
  grants: string | null,
]

type Elements = (string | number | undefined)[]

/** Combines queries into one statement. Each distinct key and kind is sent only once. */
export function createFactsBatch(queries: FactsQuery[]): FactsBatch {
  const keys: Elements = []
  const tokens: Elements = []
  const users: Elements = []
  const workspaces: Elements = []
  const principals: Elements = []
  const kindPositions: Elements = []
  const resources: Elements = []
  const actions: Elements = []
  const kinds = createKindTable()
  // Positions in the array, from 1 as in PostgreSQL.
  const keyPositions = new Map<string, number>()

  for (const [index, { keyHash, tokenId, userId, workspaceId, checks }] of queries.entries()) {
    if (keyHash && !keyPositions.has(keyHash)) keyPositions.set(keyHash, keys.push(keyHash))
    tokens.push(tokenId)
    users.push(userId)
    workspaces.push(workspaceId)
    for (const { service_name, resource_type, resource_id, action } of checks) {
      principals.push(index + 1)
      kindPositions.push(kinds.add(service_name, resource_type))
      resources.push(resource_id)
      actions.push(actionElement(action))
    }
  }
  return {
    lookup: resources.length < minChecksToHash * queries.length ? 'probed' : 'hashed',
    parameters: [
      keys,
      kinds.services,
      kinds.types,
      tokens,
      users,
      workspaces,
      principals,
      kindPositions,
      resources,
      actions,
    ].map(arrayLiteral),
    read([keysRequired, serviceNames, statuses, grants]) {
      const statusBits = readNumbers(statuses)
      const grantBits = grants === null ? [] : readNumbers(grants)
      let offset = 0
      return queries.map(({ keyHash, checks }, index) => {
        const service = keyHash && serviceNames?.[(keyPositions.get(keyHash) as number) - 1]
        const status = readStatus(statusBits[index] as number, keysRequired, service)
        const start = offset
        offset += checks.length
        return { status, grants: grantBits.slice(start, offset) }
      })
    },
  }
}

/** Reads an array literal such as `{1,2}`. */
function readNumbers(literal: string): number[] {
  return literal.slice(1, -1).split(',').map(Number)
}

/** Reads the bits of a principal's status. */
export function readStatus(
  bits: number,
  keysRequired: boolean,
  service: string | null | undefined,
): PrincipalStatus {
  return {
    service: service || undefined,
    keysRequired,
    tokenDenied: (bits & statusBit.denied) !== 0,
    userActive: (bits & statusBit.active) !== 0,
    userAdmin: (bits & statusBit.admin) !== 0,
    role: roles[(bits >> roleShift) - 1],
  }
}
