import type {
  SearchSubjectsRequest,
  SearchSubjectsResponse,
} from '../../../gen/daikon/v1/access.ts'
import { isExternalId } from '../../core/external-id.ts'
import { isCanonicalUuid, isUuid } from '../../core/uuid.ts'
import type { DecisionHandler } from '../decision-handler.ts'
import { firstId } from '../engine/lists/page-token.ts'
import type { Check } from '../engine/question.ts'
import type { FoundSubjects } from '../engine/searches/find-subjects.ts'
import { parseResource } from '../resource-id.ts'
import type { AccessDependencies } from './access-dependencies.ts'
import { readInput } from './condition-input.ts'
import { describePage, readSearchPage } from './search-page.ts'
import { requireOwnType } from './type-ownership.ts'

/** Creates the handler that lists the users or groups that may perform an action on a resource. */
export function createSearchSubjects({
  engine,
}: AccessDependencies): DecisionHandler<SearchSubjectsRequest, SearchSubjectsResponse> {
  return {
    logLevel: 'debug',
    async handle({ principal }, { subject, action, resource, context, page }) {
      const input = readInput({ subject, action, resource, context })
      const search = { subject: subject?.type, action: action?.name, resource, ...input }
      const position = readSearchPage(page, search, isCursor)
      await requireOwnType(engine, principal, resource?.type ?? '')
      const named = resource && parseResource(principal.service, resource)
      const isGroup = subject?.type === 'group'
      if ((subject?.type !== 'user' && !isGroup) || !action || !named)
        return { page: describePage(search, position, 0, undefined), results: [] }
      const check = { ...named, action: action.name, input }
      const [after = firstId] = position.cursor
      const { found, nextAfter } = await findCandidates(check, isGroup, after, position.limit + 1)
      const subjects = found.slice(0, position.limit)
      const last = found.length > subjects.length ? subjects.at(-1)?.id : nextAfter
      return {
        page: describePage(
          search,
          position,
          subjects.length,
          last === undefined ? undefined : [last],
        ),
        results: subjects.map(({ id, externalId }) => ({
          type: subject.type,
          id: externalId && isExternalId(externalId) ? externalId : id,
        })),
      }
    },
  }

  async function findCandidates(
    check: Omit<Check, 'subject'>,
    isGroup: boolean,
    after: string,
    limit: number,
  ): Promise<FoundSubjects<{ id: string; externalId?: string | null }>> {
    const { workspace, action, serviceName } = check
    if (workspace === undefined || (await engine.hasOwnWorkspaces(serviceName))) {
      if (!isGroup) return engine.findSubjects(check, after, limit)
      const { found, ...rest } = await engine.findGroups(check, after, limit)
      return { ...rest, found: found.map((id) => ({ id })) }
    }
    const name = isUuid(workspace) ? { id: workspace } : { slug: workspace }
    const workspaceId = await engine.findWorkspace(name)
    if (workspaceId === undefined) return { found: [] }
    const page = { serviceName, action, after, limit }
    if (!isGroup) return { found: await engine.findWorkspaceUsers(workspaceId, page) }
    const groups = await engine.findWorkspaceGroups(workspaceId, check, page)
    return { found: groups.map((id) => ({ id })) }
  }
}

/** The id of the last user or group of the previous page. */
function isCursor([userId, ...others]: string[]): boolean {
  return userId !== undefined && isCanonicalUuid(userId) && others.length === 0
}
