import type { WorkspaceNamesRequest } from '../../gen/daikon/v1/activity.ts'
import type { LookUpNamesRequest, LookUpNamesResponse } from '../../gen/daikon/v1/admin_records.ts'
import type { RequestContext } from '../core/request-context.ts'
import type { NamedObject, NameStore } from './store/name-store.ts'

/** Returns the objects that the IDs identify. Omits IDs that do not exist. */
export async function lookUpNames(
  { stores }: RequestContext<{ names: NameStore }>,
  { ids }: LookUpNamesRequest,
): Promise<LookUpNamesResponse> {
  return toResponse(await stores.names.find(ids))
}

/** Returns those of the objects that belong to the workspace. Omits all other IDs. */
export async function lookUpWorkspaceNames(
  { stores }: RequestContext<{ names: NameStore }>,
  { ids, workspace_id: workspaceId }: WorkspaceNamesRequest,
): Promise<LookUpNamesResponse> {
  return toResponse(await stores.names.findInWorkspace(ids, workspaceId))
}

function toResponse(objects: NamedObject[]): LookUpNamesResponse {
  return {
    names: objects.map(({ workspaceId, ...object }) => ({
      ...object,
      ...(workspaceId !== null && { workspace_id: workspaceId }),
    })),
  }
}
