import { roles } from '../core/roles.ts'
import { arrayLiteral, textElement } from '../database/sql-values.ts'
import { builtInActions } from './access.ts'
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
  const services: Elements = []
  const types: Elements = []
  const tokens: Elements = []
  const users: Elements = []
  const workspaces: Elements = []
  const principals: Elements = []
  const kinds: Elements = []
  const resources: Elements = []
  const actions: Elements = []
  // Positions in the arrays, from 1 as in PostgreSQL.
  const keyPositions = new Map<string, number>()
  const kindPositions = new Map<string, number>()

  for (const [index, { keyHash, tokenId, userId, workspaceId, checks }] of queries.entries()) {
    if (keyHash && !keyPositions.has(keyHash)) keyPositions.set(keyHash, keys.push(keyHash))
    tokens.push(tokenId)
    users.push(userId)
    workspaces.push(workspaceId)
    for (const { service_name, resource_type, resource_id, action } of checks) {
      // A line break separates the names, neither of which can contain one.
      const kind = `${service_name}\n${resource_type}`
      let position = kindPositions.get(kind)
      if (position === undefined) {
        services.push(textElement(service_name))
        position = types.push(textElement(resource_type))
        kindPositions.set(kind, position)
      }
      principals.push(index + 1)
      kinds.push(position)
      resources.push(resource_id)
      // Decisions about built-in actions depend only on the grants on the resource.
      actions.push(builtInActions.includes(action) ? undefined : textElement(action))
    }
  }
  return {
    lookup: resources.length < minChecksToHash * queries.length ? 'probed' : 'hashed',
    parameters: [
      keys,
      services,
      types,
      tokens,
      users,
      workspaces,
      principals,
      kinds,
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
