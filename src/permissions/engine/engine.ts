import { requestScope } from '../../core/request-scope.ts'
import type { Database } from '../../database/database.ts'
import { type Ask, createAsk } from './ask.ts'
import { createJudgedFacts, type LoadJudged } from './conditions/judged-facts.ts'
import { createLoadConditions, createLoadUncertain } from './conditions/load-uncertain.ts'
import { createExplainWorkspaces } from './explain-workspaces.ts'
import { findActiveUser } from './find-subject.ts'
import { createJudgedList } from './lists/judged-list.ts'
import type { LoadList } from './lists/list.ts'
import { createLoadList, type LoadListOptions } from './lists/load-list.ts'
import { createPublicResources, type PublicResources } from './lists/public-resources.ts'
import { createLoadFacts } from './load-facts.ts'
import { createLoadReasons, type LoadReasons } from './load-reasons.ts'
import { createChangeFeed } from './memory/change-feed.ts'
import { createFactsMemory, noMemory } from './memory/facts-memory.ts'
import type { CacheResult } from './memory/verified-cache.ts'
import type { Subject, SubjectCheck } from './question.ts'
import { type AssumptionLookups, createAssumptionLookups } from './searches/assumption-lookups.ts'
import { createFindGroups, type FindGroups } from './searches/find-groups.ts'
import { createFindSubjects, type FindSubjects } from './searches/find-subjects.ts'
import { createLinkLookups, type LinkLookups } from './searches/link-lookups.ts'
import { createSearchLookups, type SearchLookups } from './searches/search-lookups.ts'
import { createWorkspaceSearches, type WorkspaceSearches } from './searches/workspace-searches.ts'
import { joinKinds } from './subjects/load-by-kind.ts'
import { kindOf, ofEachKind, type SubjectKindName, subjectKinds } from './subjects/subject-kinds.ts'

/** Turns questions into facts. Every decision, list, search and explanation is loaded here. */
export type Engine = SearchLookups &
  PublicResources &
  WorkspaceSearches &
  AssumptionLookups &
  LinkLookups & {
    ask: Ask
    /** Lists the resources of subjects of every kind. */
    loadList: LoadList
    loadReasons: LoadReasons
    findSubjects: FindSubjects
    findGroups: FindGroups
    /** Loads the facts of checks of named subjects in a call whose caller is authenticated. */
    loadBits(checks: SubjectCheck[]): Promise<number[]>
    /** The same, with the work of the call. */
    loadJudged: LoadJudged
    findActiveUser(subject: Subject): Promise<string | undefined>
  }

/** The default of MAX_FACTS_CACHE_BYTES. */
export const defaultFactsCacheBytes = 64 * 1024 * 1024

export type EngineOptions = {
  keysRequired: boolean
  maxFactsCacheBytes?: number | undefined
  listBudgetsOf?: LoadListOptions['budgetsOf']
  /** Called with the number of calls that share a facts statement. */
  onFactsBatch?: ((callers: number) => void) | undefined
  /** Called for each query for facts or lists, if they are remembered. */
  onCachedQuery?: ((result: CacheResult) => void) | undefined
}

/** Creates the engine, with facts in memory if `maxFactsCacheBytes` is set. */
export function createEngine(
  { reads, statements, replicas }: Pick<Database, 'reads' | 'statements' | 'replicas'>,
  {
    keysRequired,
    maxFactsCacheBytes: maxBytes = 0,
    listBudgetsOf: budgetsOf,
    onFactsBatch,
    onCachedQuery,
  }: EngineOptions,
): Engine {
  const memory =
    maxBytes > 0
      ? createFactsMemory({
          feed: createChangeFeed(statements, replicas),
          maxBytes,
          onQuery: onCachedQuery,
        })
      : noMemory
  const memoryOf = (kind: SubjectKindName) => (subjectKinds[kind].isRemembered ? memory : noMemory)

  const loadConditions = createLoadConditions(reads)
  const explainWorkspaces = createExplainWorkspaces(reads)
  const loadReasons = createLoadReasons(reads, loadConditions, explainWorkspaces)
  const loadJudgedFacts = createJudgedFacts({
    loadFacts: joinKinds(
      ofEachKind((kind) =>
        memoryOf(kind).rememberFacts(createLoadFacts(reads, onFactsBatch, kind)),
      ),
      async (checks) => (await explainWorkspaces(checks)).map((found) => found?.bits),
    ),
    loadUncertain: joinKinds(
      ofEachKind((kind) => memoryOf(kind).rememberUncertain(createLoadUncertain(reads, kind))),
    ),
    loadConditions,
  })
  const lists = ofEachKind((kind) => {
    const { rememberLists } = memoryOf(kind)
    const loadCertain = createLoadList(reads, { budgetsOf, kind })
    const loadCandidates = createLoadList(reads, { budgetsOf, kind, withConditional: true })
    return createJudgedList({
      loadCertain: rememberLists(loadCertain, 'certain'),
      loadCandidates: rememberLists(loadCandidates, 'candidates'),
      loadFacts: loadJudgedFacts,
    })
  })

  const loadList: LoadList = (query, scope) => lists[kindOf(query)](query, scope)

  const loadJudged: LoadJudged = async (checks, work) => {
    if (checks.length === 0) return { bits: [] }
    const scope = requestScope.getStore()
    // The key identifies the caller to the batcher, so that services take turns.
    return loadJudgedFacts({ keyHash: scope?.source?.keyHash, checks }, scope, work)
  }
  const loadBits = async (checks: SubjectCheck[]) => (await loadJudged(checks)).bits

  return {
    ...createSearchLookups(reads),
    ...createPublicResources(reads),
    ...createAssumptionLookups(reads),
    ...createWorkspaceSearches(reads, loadBits),
    ...createLinkLookups(reads, loadJudged),
    ask: createAsk({ loadFacts: loadJudgedFacts, loadList, loadReasons }, { keysRequired }),
    loadList,
    loadReasons,
    loadBits,
    loadJudged,
    findSubjects: createFindSubjects(reads, loadJudged),
    findGroups: createFindGroups(reads, loadJudged),
    findActiveUser: (subject) => findActiveUser(reads, subject),
  }
}
