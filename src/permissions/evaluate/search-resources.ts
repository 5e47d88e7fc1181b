import type {
  AccessEntity,
  SearchResourcesRequest,
  SearchResourcesResponse,
} from '../../../gen/daikon/v1/access.ts'
import { invalidArgument } from '../../core/errors.ts'
import { requestScope } from '../../core/request-scope.ts'
import { isCanonicalUuid, isUuid } from '../../core/uuid.ts'
import { toPage } from '../accessible.ts'
import type { ConditionInput } from '../conditions/condition-input.ts'
import { type CallWork, createCallWork, isUnused } from '../conditions/work.ts'
import type { DecisionHandler } from '../decision-handler.ts'
import { decide } from '../engine/facts.ts'
import { countJudged } from '../engine/judged-facts.ts'
import { splitIds } from '../engine/list.ts'
import { firstId, isPageToken, readPageToken } from '../engine/page-token.ts'
import { type Kind, type Subject, workspaceType } from '../engine/question.ts'
import { type ResourceNames, workspacesPerPage } from '../engine/search-lookups.ts'
import { nameKind } from '../resource-id.ts'
import type { AccessDependencies } from './access-dependencies.ts'
import { findSubjectViolations } from './batch-items.ts'
import { readInput } from './condition-input.ts'
import { describePage, readSearchPage, type SearchPosition } from './search-page.ts'
import { describeSubjectError, nameSubject } from './subject.ts'
import { requireOwnType } from './type-ownership.ts'

/** A search for the resources of an active user, a group or a link, or for public resources. */
type Search = {
  kind: Kind
  action: string
  subjectType: 'user' | 'group' | 'link' | 'anonymous'
  /** The ID of the user, group or link. Empty for anonymous subjects. */
  subjectId: string
  tokenId: string | undefined
  input: ConditionInput
  work: CallWork
}

/** Resource ids, and the start of the next page unless these are the last ids. */
type Found = { ids: string[]; cursor?: string[] }

/**
 * Creates the handler that lists the resources on which a subject may perform an action, workspace
 * by workspace.
 */
export function createSearchResources({
  engine,
  ...naming
}: AccessDependencies): DecisionHandler<SearchResourcesRequest, SearchResourcesResponse> {
  return {
    logLevel: 'debug',
    async handle({ principal }, { subject, action, resource, context, page }) {
      const violations = findSubjectViolations(subject)
      if (violations.length > 0) throw invalidArgument(...violations)
      const contextWorkspace = readWorkspaceId(context)
      const input = readInput({ subject, action, resource, context })
      const search = { subject, action: action?.name, type: resource?.type, ...input }
      const position = readSearchPage(page, search, isCursor)
      const { type = '' } = resource ?? {}
      await requireOwnType(engine, principal, type)
      const kind = nameKind(principal.service?.name, type)
      const namedSubject = await nameSubject(naming, subject)
      const name = namedSubject.subject
      const named = name && (await findSubject(name))
      const found: Found =
        kind && action && named
          ? await findResources(
              {
                kind,
                action: action.name,
                ...named,
                tokenId: name.tokenId,
                input,
                work: createCallWork(),
              },
              [name.workspaceId, contextWorkspace],
              position,
            )
          : { ids: [] }
      const names = kind ? await engine.findResourceNames(kind, found.ids) : new Map()
      return {
        page: describePage(search, position, found.ids.length, found.cursor),
        results: found.ids.map((id) => describeResult(type, id, names.get(id))),
        context: describeSubjectError(namedSubject),
      }
    },
  }

  /** Returns undefined if the subject does not exist or is inactive. */
  async function findSubject(
    name: Subject,
  ): Promise<Pick<Search, 'subjectType' | 'subjectId'> | undefined> {
    if (name.isAnonymous) return { subjectType: 'anonymous', subjectId: '' }
    if (name.linkId !== undefined) return { subjectType: 'link', subjectId: name.linkId }
    const subjectId = await engine.findActiveUser(name)
    const subjectType = name.groupId === undefined ? 'user' : 'group'
    return subjectId === undefined ? undefined : { subjectType, subjectId }
  }

  async function findResources(
    search: Search,
    workspaceIds: (string | undefined)[],
    position: SearchPosition,
  ): Promise<Found> {
    const [workspaceId, ...others] = [...new Set(workspaceIds.filter((id) => id !== undefined))]
    const ids: string[] = []
    if (others.length > 0) return { ids }
    if (search.subjectType === 'link') return findLinked(search, workspaceId, position)
    const { service_name, resource_type } = search.kind
    if (resource_type === workspaceType && !(await engine.hasOwnWorkspaces(service_name)))
      return findWorkspaces(search, workspaceId, position)
    const {
      cursor: [firstWorkspace = firstId, pageToken],
      limit,
    } = position
    let first = firstWorkspace
    let page_token = pageToken
    for (;;) {
      const workspaces = await listWorkspaces(search, first, workspaceId)
      for (const workspace of workspaces) {
        if (ids.length === limit) return { ids, cursor: [workspace] }
        const token = workspace === firstWorkspace ? page_token : undefined
        const page = await listWorkspace(search, workspace, limit - ids.length, token)
        const { resource_ids, next_page_token } = page
        ids.push(...resource_ids)
        if (next_page_token) return { ids, cursor: [workspace, next_page_token] }
      }
      const last = workspaces.at(-1)
      if (last === undefined || workspaces.length < workspacesPerPage) return { ids }
      first = incremented(last)
      // Any number of workspaces can have public resources, and none of them of this type.
      if (search.subjectType === 'anonymous') return { ids, cursor: [first] }
      page_token = undefined
    }
  }

  /** Lists what a link opens. The cursor is the first ID of the page. */
  async function findLinked(
    { kind, action, subjectId, input, work }: Search,
    workspaceId: string | undefined,
    { cursor: [first = firstId], limit }: SearchPosition,
  ): Promise<Found> {
    const query = { ...kind, action, firstId: first, limit: limit + 1, input, work }
    const limited = workspaceId === undefined ? query : { ...query, workspaceId }
    const found = await engine.listLinked(subjectId, limited)
    const ids = found.ids.slice(0, limit)
    const next = found.ids[limit] ?? found.nextId
    return next === undefined ? { ids } : { ids, cursor: [next] }
  }

  /** Lists the workspaces on which the subject may perform the action. */
  async function findWorkspaces(
    { kind, action, subjectType, subjectId }: Search,
    workspaceId: string | undefined,
    { cursor: [after = firstId], limit }: SearchPosition,
  ): Promise<Found> {
    if (subjectType === 'anonymous') return { ids: [] }
    if (subjectType === 'group') {
      const workspace = await engine.findWorkspaceOfGroup(subjectId, workspaceId)
      if (workspace === undefined) return { ids: [] }
      const subject = { groupId: subjectId }
      const check = { ...kind, resource_id: workspace, workspace, action, subject }
      const [bits] = await engine.loadBits([check])
      return { ids: decide(action, bits) ? [workspace] : [] }
    }
    const page = { serviceName: kind.service_name, action, after, limit: limit + 1 }
    const found = await engine.findWorkspacesOfUser(subjectId, workspaceId, page)
    const ids = found.slice(0, limit)
    const last = ids.at(-1)
    return found.length > limit && last !== undefined ? { ids, cursor: [last] } : { ids }
  }

  /** Returns a page of the workspaces to search: a group has one. */
  async function listWorkspaces(
    { kind, action, subjectType, subjectId }: Search,
    first: string,
    workspaceId: string | undefined,
  ): Promise<string[]> {
    if (subjectType === 'user') return engine.listMemberships(subjectId, first, workspaceId)
    if (subjectType === 'anonymous')
      return action === 'view' ? engine.listPublicWorkspaces(kind, first, workspaceId) : []
    const workspace = await engine.findWorkspaceOfGroup(subjectId, workspaceId)
    return workspace !== undefined && workspace >= first ? [workspace] : []
  }

  /**
   * Lists the resources of one workspace. The status of the user is read again with the list, so
   * that both are from one snapshot.
   */
  async function listWorkspace(
    { kind, action, subjectType, subjectId, tokenId, input, work }: Search,
    workspaceId: string,
    limit: number,
    pageToken: string | undefined,
  ) {
    const page = { firstId: readPageToken(pageToken), limit: limit + 1 }
    if (subjectType === 'anonymous') {
      const ids = await engine.listPublic(kind, workspaceId, page.firstId, page.limit)
      const listed = ids.slice(0, limit)
      const checks = listed.map((resource_id) => ({
        ...kind,
        resource_id,
        action,
        subject: { isAnonymous: true },
        input,
      }))
      // The type may require a condition to view its resources.
      const wasUnused = isUnused(work)
      const facts = await engine.loadJudged(checks, work)
      const end = countJudged(listed.length, facts, wasUnused)
      const allowed = listed.slice(0, end).filter((_, index) => decide(action, facts.bits[index]))
      return toPage(allowed, limit, { nextId: ids[end] })
    }
    const query = { tokenId, userId: subjectId, workspaceId, ...kind, action, ...page, input, work }
    const load = engine.lists[subjectType === 'group' ? 'group' : 'user']
    const { joinedIds, nextId } = await load(query, requestScope.getStore())
    return toPage(splitIds(joinedIds), limit, { nextId })
  }
}

function describeResult(type: string, id: string, names: ResourceNames | undefined): AccessEntity {
  const display_name = names?.displayName ?? undefined
  const properties = display_name === undefined ? {} : { properties: { display_name } }
  return { type, id: names?.externalId ?? id, ...properties }
}

function readWorkspaceId(context: Record<string, unknown> | undefined): string | undefined {
  const value = context && Object.hasOwn(context, 'workspace_id') ? context.workspace_id : undefined
  if (value === undefined) return undefined
  if (typeof value === 'string' && isUuid(value)) return value.toLowerCase()
  throw invalidArgument({ field: 'context.workspace_id', message: 'must be a UUID' })
}

/** Returns the UUID after this one. */
function incremented(id: string): string {
  const next = (BigInt(`0x${id.replaceAll('-', '')}`) + 1n) % 2n ** 128n
  const digits = next.toString(16).padStart(32, '0')
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}

/** The workspace in which the page starts, and the page token of the list of its resources. */
function isCursor([workspaceId, pageToken, ...others]: string[]): boolean {
  if (workspaceId === undefined || others.length > 0) return false
  return isCanonicalUuid(workspaceId) && (pageToken === undefined || isPageToken(pageToken))
}
