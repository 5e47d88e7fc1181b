import type { SearchNamesRequest, SearchNamesResponse } from '../../gen/daikon/v1/admin_records.ts'
import type { RequestContext } from '../core/request-context.ts'
import { isUuid } from '../core/uuid.ts'
import type { NameSearchStore } from './store/name-search-store.ts'

/** Returns the objects whose name matches a text, best matches first, or those with an ID. */
export async function searchNames(
  { stores }: Pick<RequestContext<{ nameSearch: NameSearchStore }>, 'stores'>,
  { q, limit = 5 }: SearchNamesRequest,
): Promise<SearchNamesResponse> {
  const text = q.trim()
  if (text === '') return { items: [] }
  const found = isUuid(text)
    ? await stores.nameSearch.findById(text)
    : await stores.nameSearch.find(text, limit)
  return {
    items: found.map(({ workspaceId, ...object }) => ({
      ...object,
      ...(workspaceId !== null && { workspace_id: workspaceId }),
    })),
  }
}
