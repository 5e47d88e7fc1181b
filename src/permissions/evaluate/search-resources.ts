import type {
  SearchResourcesRequest,
  SearchResourcesResponse,
} from '../../../gen/daikon/v1/access.ts'
import { invalidArgument } from '../../core/errors.ts'
import { requestScope } from '../../core/request-scope.ts'
import { isUuid } from '../../core/uuid.ts'
import { textArray } from '../../database/sql-values.ts'
import type { AccessiblePage } from '../accessible-page.ts'
import { type Decision, defineDecision } from '../decision.ts'
import { loadPage } from '../load-accessible.ts'
import { firstId, isPageToken } from '../page-token.ts'
import type { AccessDependencies } from './access-dependencies.ts'
import { findSubjectViolations } from './batch-items.ts'
import { findSubject } from './load-evaluations.ts'
import { type Kind, nameKind } from './resource-id.ts'
import { describePage, readSearchPage, type SearchPosition } from './search-page.ts'
import { externalIdsSql, membershipsSql } from './search-queries.ts'
import { createNameSubject } from './subject.ts'

/** A search for the resources of an active user. */
type Search = { kind: Kind; action: string; userId: string; tokenId: string | undefined }

/** Resource ids, and the start of the next page unless these are the last ids. */
type Found = { ids: string[]; cursor?: string[] }

/**
 * Creates the handler that lists the resources on which a subject may perform an action, workspace
 * by workspace.
 */
export function createSearchResources({
  statements,
  tokens,
  loadAccessible,
}: AccessDependencies): Decision<SearchResourcesRequest, SearchResourcesResponse> {
  return defineDecision({
    checks: () => [],
    async handle({ principal }, { subject, action, resource, context, page }) {
      const violations = findSubjectViolations(subject)
      if (violations.length > 0) throw invalidArgument(...violations)
      const contextWorkspace = readWorkspaceId(context)
      const search = { subject, action: action?.name, type: resource?.type, contextWorkspace }
      const position = readSearchPage(page, search, isCursor)
      const { type = '' } = resource ?? {}
      const kind = nameKind(principal.service?.name, type)
      const name = subject && (await createNameSubject(tokens)(subject))
      const user = name && (await findSubject(statements, name))
      const userId = user?.isActive ? user.userId : undefined
      const found: Found =
        kind && action && userId
          ? await findResources(
              { kind, action: action.name, userId, tokenId: name?.token?.id },
              [name?.token?.workspaceId, contextWorkspace],
              position,
            )
          : { ids: [] }
      const externalIds = kind ? await findExternalIds(kind, found.ids) : new Map()
      return {
        page: describePage(search, position, found.ids.length, found.cursor),
        results: found.ids.map((id) => ({ type, id: externalIds.get(id) ?? id })),
      }
    },
  })

  async function findResources(
    search: Search,
    workspaceIds: (string | undefined)[],
    { cursor: [firstWorkspace = firstId, pageToken], limit }: SearchPosition,
  ): Promise<Found> {
    const [workspaceId, ...others] = [...new Set(workspaceIds.filter((id) => id !== undefined))]
    const ids: string[] = []
    if (others.length > 0) return { ids }
    let first = firstWorkspace
    let page_token = pageToken
    for (;;) {
      const memberships = await statements.rows<[string]>('memberships', membershipsSql, [
        search.userId,
        first,
        workspaceId,
      ])
      for (const [workspace] of memberships) {
        if (ids.length === limit) return { ids, cursor: [workspace] }
        const token = workspace === firstWorkspace ? page_token : undefined
        const page = await listWorkspace(search, workspace, limit - ids.length, token)
        const { resource_ids, next_page_token } = page
        ids.push(...resource_ids)
        if (next_page_token) return { ids, cursor: [workspace, next_page_token] }
      }
      const last = memberships.at(-1)?.[0]
      if (last === undefined || memberships.length < 100) return { ids }
      first = incremented(last)
      page_token = undefined
    }
  }

  /**
   * Lists the resources of one workspace. The status of the user is read again with the list, so
   * that both are from one snapshot.
   */
  async function listWorkspace(
    { kind, action, userId, tokenId }: Search,
    workspaceId: string,
    limit: number,
    pageToken: string | undefined,
  ): Promise<AccessiblePage> {
    const caller = { keyHash: undefined, tokenId, userId, workspaceId }
    const query = { ...caller, ...kind, action, limit, page_token: pageToken }
    const { page } = await loadPage(loadAccessible, query, requestScope.getStore())
    return page
  }

  async function findExternalIds(kind: Kind, ids: string[]): Promise<Map<string, string>> {
    if (ids.length === 0) return new Map()
    const values = [kind.service_name, kind.resource_type, textArray(ids)]
    return new Map(await statements.rows<[string, string]>('external ids', externalIdsSql, values))
  }
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
  return isUuid(workspaceId) && (pageToken === undefined || isPageToken(pageToken))
}
