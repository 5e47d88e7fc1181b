import { withSpan } from '../../../core/trace.ts'
import { createBatcher } from '../../../database/batching.ts'
import { arrayLiteral, textElement } from '../../../database/sql-values.ts'
import type { Statements } from '../../../database/statement-pool.ts'
import { readStatus } from '../facts.ts'
import { actionElement, createKeyTable, createKindTable } from '../parameters.ts'
import { type ListRow, listSql } from '../statements/list.ts'
import { grantsRowOf } from '../statements/list-caller.ts'
import { listWithFoldersSql } from '../statements/list-with-folders.ts'
import { idOf, type SubjectKindName, statementName } from '../subjects/subject-kinds.ts'
import { countIds, type List, type ListQuery, type LoadList } from './list.ts'

/**
 * The maximum limit of a query that shares a statement, so that callers do not wait for the long
 * lists of others.
 */
const maxSharedLimit = 1600

/**
 * The number of IDs to try first for a longer page, in a shared statement. Most lists are shorter
 * and do not need a separate statement.
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

const maxInteger = 2 ** 31 - 1

/**
 * How much a statement may read for a user with folders: the maximum number of folders, and, if the
 * user can reach more of them, the number of children to check in the order of their IDs.
 */
export type ListBudget = { folders: number; children: number }

/** The budget of the last attempt to fill a page. */
const lastBudget: ListBudget = { folders: 20_000, children: 4000 }

/** The budgets of the attempts before, for a page of `idsPerBudget`. Longer pages have more. */
const firstBudgets: ListBudget[] = [
  { folders: 50, children: 250 },
  { folders: 1000, children: 1000 },
]
const idsPerBudget = 25

/**
 * Returns the budget of each attempt to fill a page. A page that the last one does not fill ends
 * early. Reading a folder takes about a fifth of the time of checking a child.
 */
function budgetsOfPage(limit: number): ListBudget[] {
  const factor = Math.max(1, limit / idsPerBudget)
  const scaled = firstBudgets.map(({ folders, children }) => ({
    folders: Math.ceil(folders * factor),
    children: Math.min(Math.ceil(children * factor), lastBudget.children),
  }))
  return [...scaled.filter(({ folders }) => folders < lastBudget.folders), lastBudget]
}

/** A list. The IDs are null if they must be loaded by a separate statement, or are uncertain. */
type ListResult = Omit<List, 'joinedIds'> & { joinedIds: string | null; mayHaveFolders: boolean }

export type LoadListOptions = {
  /** The kind of the subjects of the queries. */
  kind?: SubjectKindName
  /** Whether to list what would be allowed if every condition were true. */
  withConditional?: boolean
  /** Returns the budget of each attempt to fill a page. */
  budgetsOf?: ((limit: number) => ListBudget[]) | undefined
}

/** A query that runs in a separate statement. */
type SingleQuery = { query: ListQuery; hasFolders: boolean }

/**
 * Lists resources from PostgreSQL. Concurrent callers share statements, except for queries that may
 * take long: for long pages, and for users with many groups or with folders. The statement that
 * returns a list also reads the status of its caller, so that both come from the same snapshot.
 */
export function createLoadList(
  statements: Statements,
  { kind = 'user', withConditional = false, budgetsOf = budgetsOfPage }: LoadListOptions = {},
): LoadList {
  const certainty = withConditional ? 'candidates' : 'certain'
  const suffix = withConditional ? ' of candidates' : ''
  const flat = [statementName(`list${suffix}`, kind), listSql[certainty][kind]] as const
  const withFolders = [
    statementName(`list with folders${suffix}`, kind),
    listWithFoldersSql[certainty][kind],
  ] as const
  const loadShared = createBatcher((queries: ListQuery[]) => loadFlat(queries, maxSharedGroups), {
    countRows: ({ limit }) => Math.ceil(limit / idsPerRow),
    callerOf: workspaceOf,
  })
  const loadAlone = createBatcher(
    async (queries: SingleQuery[]) => Promise.all(queries.map(loadSingle)),
    { maxBatchRows: 1, maxRunning: maxRunningAlone, callerOf: ({ query }) => workspaceOf(query) },
  )

  return (query, scope) => {
    return withSpan(scope?.span, 'list', { 'db.system.name': 'postgresql' }, load)

    async function load(): Promise<List> {
      const isLongPage = query.limit > maxSharedLimit
      const limit = isLongPage ? firstIdsOfLongPage : query.limit
      const result = await loadShared({ ...query, limit }, scope)
      if (result.isUncertain && !withConditional) return { ...result, joinedIds: '' }
      if (hasIds(result) && !(isLongPage && countIds(result.joinedIds) === limit)) return result
      return loadAlone({ query, hasFolders: result.mayHaveFolders }, scope)
    }
  }

  async function loadSingle({ query, hasFolders }: SingleQuery): Promise<List> {
    if (!hasFolders) {
      const [flat] = await loadFlat([query], maxInteger)
      if (flat && hasIds(flat)) return flat
      if (flat?.isUncertain && !withConditional) return { ...flat, joinedIds: '' }
    }
    const parameters = createParameters([query])
    let list: List | undefined
    for (const { folders, children } of budgetsOf(query.limit)) {
      const values = [...parameters, folders, children]
      const rows = await statements.rows<ListRow>(...withFolders, values)
      list = readLists(rows)[0] as List
      if (list.nextId === undefined) break
    }
    if (list?.isUncertain && !withConditional) return { ...list, joinedIds: '', nextId: undefined }
    return list as List
  }

  async function loadFlat(queries: ListQuery[], maxGroups: number): Promise<ListResult[]> {
    const parameters = [...createParameters(queries), maxGroups]
    return readLists(await statements.rows<ListRow>(...flat, parameters))
  }
}

/** Returns the result of each query, in order. */
function readLists(rows: ListRow[]): ListResult[] {
  const results: ListResult[] = []
  for (const row of rows) {
    const [
      index,
      keysRequired,
      keyStatus,
      status,
      mayHaveFolders,
      joinedIds,
      hasFullAccess,
      isUncertain,
      nextId,
    ] = row
    results[index] = {
      status: readStatus(status, keysRequired, keyStatus),
      mayHaveFolders,
      joinedIds,
      hasFullAccess,
      isUncertain,
      nextId: nextId ?? undefined,
    }
  }
  return results
}

/** Returns $1 to $14 of both statements. */
function createParameters(queries: ListQuery[]): string[] {
  const kinds = createKindTable()
  const kindPositions = queries.map(({ serviceName, resourceType }) =>
    kinds.add(serviceName, resourceType),
  )
  const keys = createKeyTable()
  const keyPositions = queries.map(({ keyHash }) =>
    keyHash === undefined ? undefined : keys.add(keyHash),
  )
  return [
    keys.hashes,
    kinds.services,
    kinds.types,
    queries.map(({ tokenId }) => tokenId),
    queries.map(idOf),
    queries.map(({ workspaceId }) => workspaceId),
    keyPositions,
    kindPositions,
    queries.map(({ firstId }) => firstId),
    queries.map(({ limit }) => limit),
    queries.map(({ action }) => actionElement(action)),
    queries.map(({ action }) => grantsRowOf(action)),
    queries.map(({ action }) => String(action === 'view')),
    queries.map(({ action }) => textElement(action)),
  ].map(arrayLiteral)
}

function hasIds(result: ListResult): result is ListResult & List {
  return result.joinedIds !== null
}

function workspaceOf({ workspaceId = '' }: ListQuery): string {
  return workspaceId
}
