import type { toPage } from '../accessible.ts'
import type { ConditionInput } from '../conditions/condition-input.ts'
import type { CallWork } from '../conditions/work.ts'
import type { Engine } from '../engine/engine.ts'
import { firstId } from '../engine/lists/page-token.ts'
import type { Kind } from '../engine/question.ts'
import { workspacesPerPage } from '../engine/searches/search-lookups.ts'
import { workspaceType } from '../engine/workspace-type.ts'
import type { SearchPosition } from './search-page.ts'

/** A search for resources. */
export type ResourceSearch = {
  kind: Kind
  action: string
  /** The ID of the subject, empty without one. */
  subjectId: string
  tokenId: string | undefined
  /** The only workspace to search, if it is set. */
  workspaceId: string | undefined
  input: ConditionInput
  work: CallWork
}

/** IDs, and the start of the next page unless these are the last ones. */
export type Found = { ids: string[]; cursor?: string[] }

export type FindResources = (search: ResourceSearch, position: SearchPosition) => Promise<Found>

/** How to find the resources of a kind of subject workspace by workspace. */
export type WorkspaceSource = {
  /** Finds the workspaces on which the subject may perform the action. */
  findWorkspaces: FindResources
  /** Returns a page of the workspaces to search, from `first` on. */
  listWorkspaces(search: ResourceSearch, first: string): Promise<string[]>
  /** Whether any number of workspaces can have no results, so that a page of them ends the call. */
  isSparse?: boolean
  /** Returns a page of the resources of one workspace. */
  listResources(
    search: ResourceSearch,
    workspaceId: string,
    limit: number,
    pageToken: string | undefined,
  ): Promise<ReturnType<typeof toPage>>
}

/** The cursor is the workspace in which a page starts, and the page token of its list. */
export function createFindByWorkspace(
  engine: Pick<Engine, 'hasOwnWorkspaces'>,
  { findWorkspaces, listWorkspaces, listResources, isSparse = false }: WorkspaceSource,
): FindResources {
  return async (search, position) => {
    const { serviceName, resourceType } = search.kind
    if (resourceType === workspaceType && !(await engine.hasOwnWorkspaces(serviceName)))
      return findWorkspaces(search, position)
    const {
      cursor: [firstWorkspace = firstId, pageToken],
      limit,
    } = position
    const ids: string[] = []
    let first = firstWorkspace
    let page_token = pageToken
    for (;;) {
      const workspaces = await listWorkspaces(search, first)
      for (const workspace of workspaces) {
        if (ids.length === limit) return { ids, cursor: [workspace] }
        const token = workspace === firstWorkspace ? page_token : undefined
        const page = await listResources(search, workspace, limit - ids.length, token)
        ids.push(...page.resource_ids)
        if (page.next_page_token) return { ids, cursor: [workspace, page.next_page_token] }
      }
      const last = workspaces.at(-1)
      if (last === undefined || workspaces.length < workspacesPerPage) return { ids }
      first = incremented(last)
      if (isSparse) return { ids, cursor: [first] }
      page_token = undefined
    }
  }
}

/** Returns the UUID after this one. */
function incremented(id: string): string {
  const next = (BigInt(`0x${id.replaceAll('-', '')}`) + 1n) % 2n ** 128n
  const digits = next.toString(16).padStart(32, '0')
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}
