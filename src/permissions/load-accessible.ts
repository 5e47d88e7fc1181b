import type { RequestScope } from '../core/request-scope.ts'
import { withSpan } from '../core/trace.ts'
import { createBatcher } from '../database/batching.ts'
import type { Statements } from '../database/statement-pool.ts'
import {
  type AccessibleIds,
  type AccessibleQuery,
  type AccessibleResult,
  type AccessibleRow,
  createAccessibleParameters,
  readAccessible,
} from './accessible-batch.ts'
import { accessibleWithFoldersSql } from './accessible-folders-query.ts'
import { AccessiblePage, countIds } from './accessible-page.ts'
import { accessibleSql } from './accessible-query.ts'
import type { PrincipalStatus } from './facts.ts'
import { readPageToken } from './page-token.ts'

/**
 * Loads the current IDs. Stops waiting when the scope is cancelled. The list is empty if the caller
 * is rejected.
 */
export type LoadAccessible = (
  query: AccessibleQuery,
  scope?: RequestScope,
) => Promise<AccessibleIds>

/**
 * Loads the page that begins at `page_token`, and the status of the caller. Loads one more ID than
 * `limit` to find out whether there is another page.
 */
export async function loadPage(
  loadAccessible: LoadAccessible,
  {
    page_token,
    limit,
    ...query
  }: Omit<AccessibleQuery, 'firstId'> & { page_token?: string | undefined },
  scope: RequestScope | undefined,
): Promise<{ status: PrincipalStatus; page: AccessiblePage }> {
  const { status, joinedIds, hasFullAccess } = await loadAccessible(
    { ...query, firstId: readPageToken(page_token), limit: limit + 1 },
    scope,
  )
  return { status, page: new AccessiblePage(joinedIds, limit, hasFullAccess) }
}

/** A query that runs in a statement of its own. */
type SingleQuery = { query: AccessibleQuery; hasFolders: boolean }

/**
 * The maximum limit of a query that shares a statement, so that callers do not wait for the long
 * lists of others.
 */
const maxSharedLimit = 1600

/**
 * The number of IDs to try first for a longer page, in a shared statement. Most lists are shorter
 * and need no statement of their own.
 */
const firstIdsOfLongPage = 256

/**
 * The number of IDs that count as one row of a batch. Reading 16 IDs takes about as long as one
 * check, and batches are limited to a number of checks.
 */
const idsPerRow = 16

/**
 * The maximum number of groups of a user whose query shares a statement. The statement reads each
 * group separately.
 */
const maxSharedGroups = 64

/** The maximum number of queries that run alone at the same time. */
const maxRunningAlone = 3

/**
 * Creates a function that lists resources. Concurrent callers share statements. Queries that may
 * take long run alone: those for long pages, and for users with many groups or with folders. The
 * statement that returns a list also reads the status of its caller, so that both come from the
 * same snapshot.
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

  return (query, scope) => {
    return withSpan(scope?.span, 'accessible', { 'db.system.name': 'postgresql' }, load)

    async function load(): Promise<AccessibleIds> {
      const isLongPage = query.limit > maxSharedLimit
      const limit = isLongPage ? firstIdsOfLongPage : query.limit
      const result = await loadShared({ ...query, limit }, scope)
      if (hasIds(result) && !(isLongPage && countIds(result.joinedIds) === limit)) return result
      return loadAlone({ query, hasFolders: result.mayHaveFolders }, scope)
    }
  }

  async function loadSingle({ query, hasFolders }: SingleQuery): Promise<AccessibleIds> {
    if (!hasFolders) {
      const [flat] = await loadFlat([query], maxInteger)
      if (flat && hasIds(flat)) return flat
    }
    const name = 'accessible with folders'
    const parameters = createAccessibleParameters([query])
    const rows = await statements.rows<AccessibleRow>(name, accessibleWithFoldersSql, parameters)
    const [result] = readAccessible(rows)
    return result as AccessibleIds
  }

  async function loadFlat(
    queries: AccessibleQuery[],
    maxGroups: number,
  ): Promise<AccessibleResult[]> {
    const parameters = [...createAccessibleParameters(queries), maxGroups]
    return readAccessible(
      await statements.rows<AccessibleRow>('accessible', accessibleSql, parameters),
    )
  }
}

const maxInteger = 2 ** 31 - 1

function hasIds(result: AccessibleResult): result is AccessibleResult & AccessibleIds {
  return result.joinedIds !== null
}

function workspaceOf({ workspaceId = '' }: AccessibleQuery): string {
  return workspaceId
}
