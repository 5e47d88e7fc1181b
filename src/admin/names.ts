import type { LookUpNamesRequest, LookUpNamesResponse } from '../../gen/daikon/v1/admin_records.ts'
import type { RequestContext } from '../core/request-context.ts'
import type { NameStore } from './store/name-store.ts'

/** Returns the objects that the IDs identify. Omits IDs that do not exist. */
export async function lookUpNames(
  { stores }: RequestContext<{ names: NameStore }>,
  { ids }: LookUpNamesRequest,
): Promise<LookUpNamesResponse> {
  const objects = await stores.names.find(ids)
  return {
    names: objects.map(({ workspaceId, ...object }) => ({
      ...object,
      ...(workspaceId !== null && { workspace_id: workspaceId }),
    })),
  }
}
