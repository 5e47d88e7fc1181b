import { type RequestScope, requestScope } from '../../core/request-scope.ts'
import { type Role, roles } from '../../core/roles.ts'
import { createBatcher } from '../../database/batching.ts'
import { arrayLiteral, textElement } from '../../database/sql-values.ts'
import type { Statements } from '../../database/statement-pool.ts'
import { isAllowed } from '../access.ts'
import { actionElement, createKindTable } from '../batch-parameters.ts'
import { evaluationSql, roleShift, subjectBit, subjectSql } from './evaluation-query.ts'

/** A user, identified by one or more names that are tried in this order, or by a token. */
export type SubjectName = {
  externalId?: string | undefined
  userId?: string | undefined
  email?: string | undefined
  /** Limits the subject to the workspace of the token, and denies it once the token is revoked. */
  token?: { id: string; workspaceId: string }
}

/**
 * A check of whether a subject may perform an action on a resource. `userId` and `resource_id` must
 * be UUIDs.
 */
export type NamedCheck = {
  subject: SubjectName
  service_name: string
  resource_type: string
  resource_id: string
  action: string
}

/** The current facts about a NamedCheck. */
export type EvaluationFacts = {
  userKnown: boolean
  userActive: boolean
  tokenDenied: boolean
  /** The role in the workspace of the resource. */
  role: Role | undefined
  /** The bits of `grant` and `actionFact` (`access.ts`). */
  grants: number
}

/** Loads the facts of checks, in the order of the checks. */
export type LoadEvaluations = (checks: NamedCheck[]) => Promise<EvaluationFacts[]>

/** The status of a service key, and the facts of the checks of its service. */
export type KeyedEvaluations = {
  service: string | undefined
  keysRequired: boolean
  facts: EvaluationFacts[]
}

/** Checks of a call, with the hash of its service key. */
export type KeyedChecks = { keyHash?: string | undefined; checks: NamedCheck[] }

/** Loads the status of a service key and the facts of checks with one statement. */
export type LoadKeyedEvaluations = (
  query: KeyedChecks,
  scope?: RequestScope,
) => Promise<KeyedEvaluations>

type EvaluationRow = [
  keysRequired: boolean,
  services: (string | null)[] | null,
  bits: string | null,
]

/** Creates a function that loads facts with a statement that concurrent callers share. */
export function createLoadKeyedEvaluations(statements: Statements): LoadKeyedEvaluations {
  return createBatcher(
    async (queries: KeyedChecks[]) => {
      const keys = [...new Set(queries.flatMap(({ keyHash }) => keyHash || []))]
      const parameters = toParameters(queries.flatMap(({ checks }) => checks))
      const values = [...parameters, arrayLiteral(keys)]
      const [row] = await statements.rows<EvaluationRow>('evaluations', evaluationSql, values)
      const [keysRequired = false, services = [], literal] = row ?? []
      const bits = literal?.slice(1, -1).split(',').map(Number) ?? []
      let offset = 0
      return queries.map(({ keyHash, checks }) => {
        offset += checks.length
        const service = keyHash === undefined ? undefined : services?.[keys.indexOf(keyHash)]
        const facts = bits.slice(offset - checks.length, offset).map(readFacts)
        return { service: service ?? undefined, keysRequired, facts }
      })
    },
    // A query without checks counts as one row, for the status of its key.
    {
      countRows: ({ checks }) => Math.max(checks.length, 1),
      callerOf: ({ keyHash = '' }) => keyHash,
    },
  )
}

/** Creates a function that loads facts alone, for callers that are already authenticated. */
export function createLoadEvaluations(load: LoadKeyedEvaluations): LoadEvaluations {
  return async (checks) => {
    if (checks.length === 0) return []
    const scope = requestScope.getStore()
    // The key identifies the caller to the batcher, so that services take turns.
    return (await load({ keyHash: scope?.source?.keyHash, checks }, scope)).facts
  }
}

/** Returns whether the facts allow the action. */
export function decide(facts: EvaluationFacts | undefined, action: string): boolean {
  if (!facts?.userActive || facts.tokenDenied) return false
  return isAllowed(facts.role, action, facts.grants)
}

/**
 * Returns the user whom a subject names, if there is one. `isActive` is false if the user is
 * inactive or the token has been revoked.
 */
export async function findSubject(
  statements: Statements,
  subject: SubjectName,
): Promise<{ userId: string | undefined; isActive: boolean }> {
  const parameters = subjectParameters([subject])
  const [row] = await statements.rows<[string | null, number]>('subject', subjectSql, parameters)
  const [userId, bits] = row ?? [null, 0]
  const { userActive, tokenDenied } = readFacts(bits)
  return { userId: userId ?? undefined, isActive: userActive && !tokenDenied }
}

/** Decodes the bits of a check. The lowest 16 are grants and facts about the action. */
export function readFacts(bits: number): EvaluationFacts {
  return {
    userKnown: (bits & subjectBit.known) !== 0,
    userActive: (bits & subjectBit.active) !== 0,
    tokenDenied: (bits & subjectBit.denied) !== 0,
    role: roles[(bits >> roleShift) - 1],
    grants: bits & (subjectBit.known - 1),
  }
}

type Elements = (string | number | undefined)[]

/** Returns $1 to $11 of `evaluationSql`. Subjects and kinds that checks share are sent once. */
export function toParameters(checks: NamedCheck[]): string[] {
  const kinds = createKindTable()
  const subjects = new Map<SubjectName, number>()
  const items: Elements[] = [[], [], [], []]
  for (const { subject, service_name, resource_type, resource_id, action } of checks) {
    if (!subjects.has(subject)) subjects.set(subject, subjects.size + 1)
    items[0]?.push(subjects.get(subject))
    items[1]?.push(kinds.add(service_name, resource_type))
    items[2]?.push(resource_id)
    items[3]?.push(actionElement(action))
  }
  return [
    ...[kinds.services, kinds.types].map(arrayLiteral),
    ...subjectParameters([...subjects.keys()]),
    ...items.map(arrayLiteral),
  ]
}

function subjectParameters(subjects: SubjectName[]): string[] {
  return [
    subjects.map(({ externalId }) => externalId && textElement(externalId)),
    subjects.map(({ userId }) => userId),
    subjects.map(({ email }) => email && textElement(email)),
    subjects.map(({ token }) => token?.id),
    subjects.map(({ token }) => token?.workspaceId),
  ].map(arrayLiteral)
}
