import { requestScope } from '../core/request-scope.ts'
import { withSpan } from '../core/trace.ts'
import { createBatcher } from '../database/batching.ts'
import { arrayLiteral, textElement } from '../database/sql-values.ts'
import type { Statements } from '../database/statement-pool.ts'
import { accessibleSql, accessibleWithFoldersSql } from './accessible-query.ts'

/** Whose resources to list. Ids must be UUIDs. */
export type AccessibleQuery = {
  workspaceId: string
  userId: string
  service_name: string
  resource_type: string
  /** The grants of `access.ts` as bits, of which any one is sufficient. */
  grants: number
  firstId: string
  limit: number
  /** Whether to compute `isWithoutPrivate`. */
  checksPrivate: boolean
}

export type AccessibleIds = {
  /** Ascending, from the first id of the query on, joined by `idSeparator`. */
  joinedIds: string
  /** Whether the workspace has resources of the type and none of them is private. */
  isWithoutPrivate: boolean
}

/** Loads current ids; stops waiting when the running request is cancelled. */
export type LoadAccessible = (query: AccessibleQuery) => Promise<AccessibleIds>

type FlatResult = { joinedIds: string | null; mayHaveFolders: boolean; isWithoutPrivate: boolean }

/** A query that runs in a statement of its own. */
type SingleQuery = { query: AccessibleQuery; hasFolders: boolean }

/** Queries for more ids run alone, so that no caller waits long for the list of another. */
const maxSharedLimit = 1600

/** Reading 16 ids takes about as long as one check; a shared statement is limited by the rows of checks. */
const idsPerRow = 16

/** Queries for users with more groups run alone, because each group is read by itself. */
const maxSharedGroups = 64

/** Queries that run alone at the same time. */
const maxRunningAlone = 3

/**
 * Creates a function that lists resources, with a statement that concurrent callers share. Lists that
 * may take long run alone: long pages, users with many groups, users with folders.
 */
export function createLoadAccessible(statements: Statements): LoadAccessible {
  const loadShared = createBatcher(
    (queries: AccessibleQuery[]) => loadFlat(queries, maxSharedGroups),
    { countRows: ({ limit }) => Math.ceil(limit / idsPerRow), callerOf: workspaceOf },
  )
  const loadAlone = createBatcher(
    async (queries: SingleQuery[]) => Promise.all(queries.map(loadSingle)),
    { maxBatchRows: 1, maxRunning: maxRunningAlone, callerOf: ({ query }) => workspaceOf(query) },
  )

  return (query) => {
    const scope = requestScope.getStore()
    return withSpan(scope?.span, 'accessible', { 'db.system.name': 'postgresql' }, load)

    async function load(): Promise<AccessibleIds> {
      if (query.limit > maxSharedLimit) return loadAlone({ query, hasFolders: false }, scope)
      const { joinedIds, mayHaveFolders, isWithoutPrivate } = await loadShared(query, scope)
      if (joinedIds !== null) return { joinedIds, isWithoutPrivate }
      const single = await loadAlone({ query, hasFolders: mayHaveFolders }, scope)
      return mayHaveFolders ? { ...single, isWithoutPrivate } : single
    }
  }

  async function loadSingle({ query, hasFolders }: SingleQuery): Promise<AccessibleIds> {
    if (hasFolders) return { joinedIds: await loadWithFolders(query), isWithoutPrivate: false }
    const [flat] = await loadFlat([query], maxInteger)
    const { joinedIds, isWithoutPrivate } = flat as FlatResult
    return { joinedIds: joinedIds ?? (await loadWithFolders(query)), isWithoutPrivate }
  }

  async function loadFlat(queries: AccessibleQuery[], maxGroups: number): Promise<FlatResult[]> {
    type Row = [
      index: number,
      mayHaveFolders: boolean,
      joinedIds: string | null,
      isWithoutPrivate: boolean,
    ]
    const parameters = createParameters(queries, maxGroups)
    const rows = await statements.rows<Row>('accessible', accessibleSql, parameters)
    const results: FlatResult[] = []
    for (const [index, mayHaveFolders, joinedIds, isWithoutPrivate] of rows) {
      results[index] = { joinedIds, mayHaveFolders, isWithoutPrivate }
    }
    return results
  }

  async function loadWithFolders(query: AccessibleQuery): Promise<string> {
    const { workspaceId, userId, service_name, resource_type, firstId, limit, grants } = query
    const name = 'accessible with folders'
    const values = [workspaceId, userId, service_name, resource_type, firstId, limit, grants]
    const [row] = await statements.rows<[string]>(name, accessibleWithFoldersSql, values)
    return row?.[0] ?? ''
  }
}

const maxInteger = 2 ** 31 - 1

const workspaceOf = ({ workspaceId }: AccessibleQuery) => workspaceId

/** The parameters of `accessibleSql`. Kinds that queries have in common are sent once. */
function createParameters(queries: AccessibleQuery[], maxGroups: number): unknown[] {
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
  const arrays = [
    services,
    types,
    queries.map(({ workspaceId }) => workspaceId),
    queries.map(({ userId }) => userId),
    kinds,
    queries.map(({ firstId }) => firstId),
    queries.map(({ limit }) => limit),
    queries.map(({ grants }) => grants),
    queries.map(({ checksPrivate }) => String(checksPrivate)),
  ]
  return [...arrays.map(arrayLiteral), maxGroups]
}
