import type {
  AccessEntity,
  SearchResourcesRequest,
  SearchResourcesResponse,
} from '../../../gen/daikon/v1/access.ts'
import { invalidArgument } from '../../core/errors.ts'
import { isCanonicalUuid, isUuid } from '../../core/uuid.ts'
import { createCallWork } from '../conditions/work.ts'
import type { DecisionHandler } from '../decision-handler.ts'
import { isPageToken } from '../engine/lists/page-token.ts'
import type { Subject } from '../engine/question.ts'
import type { ResourceNames } from '../engine/searches/search-lookups.ts'
import { typeOf } from '../engine/subjects/subject-kinds.ts'
import { parseKind } from '../resource-id.ts'
import type { AccessDependencies } from './access-dependencies.ts'
import { findSubjectViolations } from './batch-items.ts'
import { readInput } from './condition-input.ts'
import type { Found } from './find-by-workspace.ts'
import { createResourceSources } from './resource-sources.ts'
import { describePage, readSearchPage } from './search-page.ts'
import { describeSubjectError, noteUse, resolveSubject } from './subject.ts'
import { requireOwnType } from './type-ownership.ts'

/**
 * Creates the handler that lists the resources on which a subject may perform an action, workspace
 * by workspace.
 */
export function createSearchResources({
  engine,
  noteDelegationUse,
  ...naming
}: AccessDependencies): DecisionHandler<SearchResourcesRequest, SearchResourcesResponse> {
  const sources = createResourceSources(engine)
  return {
    logLevel: 'debug',
    async handle({ principal, now }, { subject, action, resource, context, page }) {
      const violations = findSubjectViolations(subject)
      if (violations.length > 0) throw invalidArgument(...violations)
      const contextWorkspace = readWorkspaceId(context)
      const input = readInput({ subject, action, resource, context })
      const search = { subject, action: action?.name, type: resource?.type, ...input }
      const position = readSearchPage(page, search, isCursor)
      const { type = '' } = resource ?? {}
      await requireOwnType(engine, principal, type)
      const kind = parseKind(principal.service?.name, type)
      const namedSubject = await resolveSubject(naming, principal.service, subject)
      const name = namedSubject.subject
      const source = name && sources[typeOf(name)]
      const subjectId = await source?.findId(name as Subject)
      const [workspaceId, ...others] = new Set(
        [name?.workspaceId, contextWorkspace].filter((id) => id !== undefined),
      )
      let found: Found = { ids: [] }
      if (kind && action && source && subjectId !== undefined && others.length === 0) {
        const asked = { kind, action: action.name, subjectId, tokenId: name.tokenId, workspaceId }
        found = await source.find({ ...asked, input, work: createCallWork() }, position)
      }
      if (found.ids.length > 0) noteUse(noteDelegationUse, namedSubject, now)
      const names = kind ? await engine.findResourceNames(kind, found.ids) : new Map()
      return {
        page: describePage(search, position, found.ids.length, found.cursor),
        results: found.ids.map((id) => describeResult(type, id, names.get(id))),
        context: describeSubjectError(namedSubject),
      }
    },
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

/** The workspace in which the page starts, and the page token of the list of its resources. */
function isCursor([workspaceId, pageToken, ...others]: string[]): boolean {
  if (workspaceId === undefined || others.length > 0) return false
  return isCanonicalUuid(workspaceId) && (pageToken === undefined || isPageToken(pageToken))
}
