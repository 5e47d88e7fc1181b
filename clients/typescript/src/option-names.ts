import type { RemoteDaikon } from './api.ts'
import { type Field, invalidArgument } from './errors.ts'
import { findNearestName } from './gen/core/nearest-names.ts'

/** An argument whose members are known: options, or the items of a list that errors name `list`. */
type Argument = { position: number; names: readonly string[]; list?: string }

type Operation = Exclude<
  keyof RemoteDaikon,
  'verifyAccessToken' | 'exchange' | 'resourceId' | 'lastPosition' | 'close'
>

const call = ['signal', 'deadlineMs']
const check = [...call, 'context']
const change = [...check, 'as']
const terms = ['expiresAt', 'condition']
const owner = ['ownerId', 'ownerEmail', 'ownerExternalId']
const facts = ['workspaceId', 'visibility', 'parent', 'attributes', 'displayName']
const registration = ['type', 'id', ...owner, ...facts]
const item = ['subject', 'action', 'resource', 'context']
const share = ['resource', 'grantee', 'grant', ...terms]
const declaration = ['description', 'allowPublic', 'roles', 'conditions', 'requirements']
const watch = ['cursor', 'workspaceId', 'actions', 'signal', 'onDisconnect']

const at = (position: number, names: readonly string[]): Argument => ({ position, names })
const items = (list: string, names: readonly string[]): Argument => ({ position: 0, names, list })

const operations: Record<Operation, Argument[]> = {
  check: [at(3, check)],
  checkMany: [items('checks', item), at(1, check)],
  accessible: [at(3, [...check, 'workspaceId'])],
  subjects: [at(2, [...check, 'type'])],
  explain: [at(3, check)],
  register: [at(0, registration), at(1, call)],
  registerMany: [items('registrations', registration), at(1, call)],
  get: [at(1, call)],
  unregister: [at(1, [...change, 'cascade'])],
  share: [at(3, [...change, ...terms])],
  shareMany: [items('shares', share), at(1, change)],
  shares: [at(1, call)],
  revoke: [at(2, change)],
  setVisibility: [at(2, change)],
  setAttributes: [at(2, change)],
  setDisplayName: [at(2, change)],
  setParent: [at(2, [...change, 'inherits'])],
  transfer: [at(2, change)],
  createLink: [at(2, [...change, ...terms, 'name'])],
  links: [at(1, change)],
  revokeLink: [at(2, change)],
  registerActions: [items('actions', ['name', 'description']), at(1, call)],
  declareType: [at(1, declaration), at(2, [...call, 'dryRun'])],
  resourceTypes: [at(0, call)],
  deleteType: [at(1, call)],
  watch: [at(0, watch)],
  accessKeys: [at(3, [...call, 'workspaceId'])],
  watchAccess: [at(0, ['types', 'cursor', 'signal'])],
}

/** The edits by which a name may differ from the one that was meant. */
const maxEdits = 3

/** The operations that return no promise, so that mistakes throw. */
const iterables = ['accessible', 'subjects', 'watch', 'watchAccess']

type Call = (...values: unknown[]) => unknown

/**
 * Makes the operations of a client fail for unknown names of options. Without types, a misspelt
 * `expiresAt` would otherwise share for good.
 */
export function withKnownNames<Client extends object>(client: Client): Client {
  const known = Object.entries(operations).flatMap(([name, taken]) => {
    const operation = (client as Record<string, Call | undefined>)[name]
    if (!operation) return []
    const checked: Call = (...values) => {
      const problems = findUnknownNames(name, taken, values)
      if (problems.length === 0) return operation(...values)
      const error = invalidArgument(...problems)
      if (iterables.includes(name)) throw error
      return Promise.reject(error)
    }
    return [[name, checked]]
  })
  return { ...client, ...Object.fromEntries(known) }
}

/** @throws InvalidArgumentError for options of a client that it does not have */
export function requireClientOptions(names: readonly string[], options: object): void {
  const problems = findUnknownMembers(options, names, '', 'the client')
  if (problems.length > 0) throw invalidArgument(...problems)
}

/** Returns the first member of an object that is not an option of `owner`. */
export function findUnknownOption(
  options: object,
  names: readonly string[],
  owner: string,
): Field | undefined {
  return findUnknownMembers(options, names, '', owner)[0]
}

function findUnknownNames(operation: string, taken: Argument[], values: unknown[]): Field[] {
  const problems: Field[] = []
  for (const { position, names, list } of taken) {
    const value = values[position]
    if (list === undefined) problems.push(...findUnknownMembers(value, names, '', operation))
    else if (Array.isArray(value))
      for (const [index, one] of value.entries())
        problems.push(...findUnknownMembers(one, names, `${list}[${index}].`, operation))
  }
  return problems
}

function findUnknownMembers(
  value: unknown,
  names: readonly string[],
  path: string,
  owner: string,
): Field[] {
  if (typeof value !== 'object' || value === null) return []
  const problems: Field[] = []
  for (const name in value) {
    if (names.includes(name)) continue
    const nearest = findNearestName(name, names, maxEdits)
    const advice = nearest === undefined ? '' : `; did you mean ${nearest}?`
    problems.push({ field: path + name, message: `is not an option of ${owner}${advice}` })
  }
  return problems
}
