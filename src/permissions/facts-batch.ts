import { roles } from '../core/roles.ts'
import { arrayLiteral, textElement } from '../database/sql-values.ts'
import type { Facts, FactsQuery, PrincipalStatus } from './facts.ts'
import { type Membership, roleShift, statusBit } from './facts-sql.ts'

/** Questions as the parameters of one statement, and how its row answers each of them. */
export type FactsBatch = {
  membership: Membership
  parameters: string[]
  read(row: FactsRow): Facts[]
}

/** From so many checks for each principal on, reading all groups of the callers is less work. */
const manyAsks = 16

/** What the statement answers; arrays as PostgreSQL writes them, in the order of the parameters. */
export type FactsRow = [
  keysRequired: boolean,
  services: (string | null)[] | null,
  standings: string,
  grounds: string | null,
]

/** Puts questions together. What they have in common, such as the key of a busy backend, is sent once. */
export function createFactsBatch(questions: FactsQuery[]): FactsBatch {
  const column = (): (string | number | undefined)[] => []
  const [keys, services, types] = [column(), column(), column()]
  const [tokens, users, workspaces] = [column(), column(), column()]
  const [callers, kinds, resources, actions] = [column(), column(), column(), column()]
  const keyPlaces = new Map<string, number>()
  const kindPlaces = new Map<string, number>()

  for (const [at, { keyHash, tokenId, userId, workspaceId, checks }] of questions.entries()) {
    if (keyHash && !keyPlaces.has(keyHash)) keyPlaces.set(keyHash, keys.push(keyHash))
    tokens.push(tokenId)
    users.push(userId)
    workspaces.push(workspaceId)
    for (const { service_name, resource_type, resource_id, action } of checks) {
      // No name has a line end.
      const kind = `${service_name}\n${resource_type}`
      if (!kindPlaces.has(kind)) {
        services.push(textElement(service_name))
        kindPlaces.set(kind, types.push(textElement(resource_type)))
      }
      callers.push(at + 1)
      kinds.push(kindPlaces.get(kind) as number)
      resources.push(resource_id)
      // What view and edit take is among the grounds of every resource.
      actions.push(action === 'view' || action === 'edit' ? undefined : textElement(action))
    }
  }
  return {
    membership: resources.length < manyAsks * questions.length ? 'probed' : 'hashed',
    parameters: [
      ...[keys, services, types, tokens, users, workspaces],
      ...[callers, kinds, resources, actions],
    ].map(arrayLiteral),
    read([keysRequired, names, standings, allGrounds]) {
      const statusBits = readNumbers(standings)
      const grantBits = allGrounds === null ? [] : readNumbers(allGrounds)
      let read = 0
      return questions.map(({ keyHash, checks }, at) => {
        const service = keyHash && names?.[(keyPlaces.get(keyHash) as number) - 1]
        const status = readStatus(statusBits[at] as number, keysRequired, service)
        const grants = grantBits.slice(read, read + checks.length)
        read += checks.length
        return { status, grants }
      })
    },
  }
}

/** `{1,2}` */
function readNumbers(array: string): number[] {
  return array.slice(1, -1).split(',').map(Number)
}

function readStatus(
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
