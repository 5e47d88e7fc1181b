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
 * Loads current ids; stops waiting when the scope is cancelled. The list of a caller who is not accepted
 * is empty.
 */
export type LoadAccessible = (
  query: AccessibleQuery,
  scope?: RequestScope,
) => Promise<AccessibleIds>

/**
 * Loads the page that begins at `page_token`, and the status of the caller. One more id than `limit` shows
 * whether there is another page.
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

/** Pages of more ids run alone, so that no caller waits long for the list of another. */
const maxSharedLimit = 1600

/** The ids that a shared statement reads first for a longer page, because most lists are short. */
const firstIdsOfLongPage = 256

/** Reading 16 ids takes about as long as one check; a shared statement is limited by the rows of checks. */
const idsPerRow = 16

/** Queries for users with more groups run alone, because each group is read by itself. */
const maxSharedGroups = 64

/** Queries that run alone at the same time. */
const maxRunningAlone = 3

/**
 * Creates a function that lists resources, with a statement that concurrent callers share. Lists that
 * may take long run alone: pages of many ids, users with many groups, users with folders. The statement that
 * returns a list also reads the status of its caller, so both are from one snapshot.
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
