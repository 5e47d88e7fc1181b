import { requestScope } from '../../core/request-scope.ts'
import type { Database } from '../../database/database.ts'
import { type Ask, createAsk } from './ask.ts'
import { type AssumptionLookups, createAssumptionLookups } from './assumption-lookups.ts'
import { createFindGroups, type FindGroups } from './find-groups.ts'
import { findActiveUser } from './find-subject.ts'
import { createFindSubjects, type FindSubjects } from './find-subjects.ts'
import { withGroupFacts, withGroupReasons, withGroupUncertain } from './group-subjects.ts'
import { createJudgedFacts, type LoadJudged } from './judged-facts.ts'
import { createJudgedList } from './judged-list.ts'
import {
  createLinkLookups,
  type LinkLookups,
  withLinkFacts,
  withLinkReasons,
  withLinkUncertain,
} from './link-subjects.ts'
import type { LoadList } from './list.ts'
import { createLoadFacts } from './load-facts.ts'
import { createLoadList, type LoadListOptions } from './load-list.ts'
import { createLoadReasons, type LoadReasons, type SubjectCheck } from './load-reasons.ts'
import { createLoadConditions, createLoadUncertain } from './load-uncertain.ts'
import { createChangeFeed } from './memory/change-feed.ts'
import { createFactsMemory } from './memory/facts-memory.ts'
import type { CacheResult } from './memory/verified-cache.ts'
import { createPublicResources, type PublicResources } from './public-resources.ts'
import type { Subject } from './question.ts'
import { createSearchLookups, type SearchLookups } from './search-lookups.ts'
import {
  createExplainWorkspaces,
  withWorkspaceFacts,
  withWorkspaceReasons,
} from './workspace-checks.ts'
import { createWorkspaceSearches, type WorkspaceSearches } from './workspace-searches.ts'

/** Turns questions into facts. Every decision, list, search and explanation is loaded here. */
export type Engine = SearchLookups &
  PublicResources &
  WorkspaceSearches &
  AssumptionLookups &
  LinkLookups & {
    ask: Ask
    loadList: LoadList
    loadReasons: LoadReasons
    /** Lists the resources of a group, whose ID the query has as `userId`. */
    loadGroupList: LoadList
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
  let loadFacts = createLoadFacts(reads, onFactsBatch)
  let loadList = createLoadList(reads, { budgetsOf })
  const ofGroups = true
  const loadConditions = createLoadConditions(reads)
  const explainWorkspaces = createExplainWorkspaces(reads)
  const loadReasons = withWorkspaceReasons(
    withLinkReasons(
      withGroupReasons(
        createLoadReasons(reads, loadConditions),
        createLoadReasons(reads, loadConditions, { of: 'groups' }),
      ),
      createLoadReasons(reads, loadConditions, { of: 'links' }),
    ),
    explainWorkspaces,
  )
  let loadUncertain = createLoadUncertain(reads)
  let loadCandidates = createLoadList(reads, { budgetsOf, withConditional: true })
  if (maxBytes > 0) {
    const feed = createChangeFeed(statements, replicas)
    const memory = createFactsMemory({ feed, maxBytes, onQuery: onCachedQuery })
    loadFacts = memory.rememberFacts(loadFacts)
    loadUncertain = memory.rememberUncertain(loadUncertain)
    loadList = memory.rememberLists(loadList, 'certain')
    loadCandidates = memory.rememberLists(loadCandidates, 'candidates')
  }

  // Groups and links are not remembered: changes to the groups that contain a group, and to links, have
  // no record.
  loadFacts = withGroupFacts(loadFacts, createLoadFacts(reads, onFactsBatch, { of: 'groups' }))
  loadFacts = withLinkFacts(loadFacts, createLoadFacts(reads, onFactsBatch, { of: 'links' }))
  loadFacts = withWorkspaceFacts(loadFacts, explainWorkspaces)
  const loadJudgedFacts = createJudgedFacts({
    loadFacts,
    loadUncertain: withLinkUncertain(
      withGroupUncertain(loadUncertain, createLoadUncertain(reads, { of: 'groups' })),
      createLoadUncertain(reads, { of: 'links' }),
    ),
    loadConditions,
  })
  const judgedLists = (loadCertain: LoadList, loadCandidates: LoadList, options = {}): LoadList =>
    createJudgedList({ loadCertain, loadCandidates, loadFacts: loadJudgedFacts, ...options })
  loadList = judgedLists(loadList, loadCandidates)

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
    loadGroupList: judgedLists(
      createLoadList(reads, { budgetsOf, ofGroups }),
      createLoadList(reads, { budgetsOf, ofGroups, withConditional: true }),
      { ofGroups },
    ),
    findSubjects: createFindSubjects(reads, loadJudged),
    findGroups: createFindGroups(reads, loadJudged),
    findActiveUser: (subject) => findActiveUser(reads, subject),
  }
}
