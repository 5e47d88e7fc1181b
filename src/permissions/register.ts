import type { EntityManager } from '@mikro-orm/postgresql'
import { v7 as uuid } from 'uuid'
import type {
  GetResourceRequest,
  RegisterResourceRequest,
  ResourcePermissionResponse,
  UnregisterRequest,
  UnregisterResponse,
} from '../../gen/daikon/v1/permissions.ts'
import type { Acting, Context } from '../rpc/call.ts'
import { Fault, invalid } from '../rpc/fault.ts'
import { Member } from '../storage/entities/people.ts'
import { Resource as ResourceRow } from '../storage/entities/resources.ts'
import { violates } from '../storage/storage-fault.ts'
import { inTransaction } from '../storage/transaction.ts'
import { requireKnownWorkspace } from '../workspaces/workspace-missing.ts'
import { findResource, present, requireResource, resourceMissing } from './resource.ts'

/** Makes a resource known; a repetition answers the record as it is now (contract 5). */
export async function register(
  { em }: Acting,
  request: RegisterResourceRequest,
): Promise<ResourcePermissionResponse> {
  return inTransaction(em, async (em) => {
    const known = await findResource(em, request)
    if (!known) {
      await requireWorkspaceAndOwner(em, request)
      await insertUnlessThere(em, request)
    }
    const resource = known ?? (await findResource(em, request))
    if (!resource) throw resourceMissing()
    const same =
      resource.workspace_id === request.workspace_id.toLowerCase() &&
      resource.owner_id === request.owner_id.toLowerCase()
    if (same) return present(em, resource)
    const detail = 'The resource is registered with another workspace or owner'
    throw new Fault('conflict', 'RESOURCE_REGISTERED', detail)
  })
}

/** A resource's record by its service's own name for it. */
export async function getResource(
  { em }: Context,
  request: GetResourceRequest,
): Promise<ResourcePermissionResponse> {
  const resource = await findResource(em, request)
  if (!resource) throw resourceMissing()
  return present(em, resource)
}

/** Forgets a resource; its shares go with it. */
export async function unregister(
  { em, caller }: Context,
  { permission_id }: UnregisterRequest,
): Promise<UnregisterResponse> {
  return inTransaction(em, async (em) => {
    const { id } = await requireResource(em, caller, permission_id)
    await em.nativeDelete(ResourceRow, { id })
    return {}
  })
}

async function requireWorkspaceAndOwner(em: EntityManager, request: RegisterResourceRequest) {
  const { workspace_id, owner_id } = request
  if (await em.count(Member, { workspace_id, user_id: owner_id })) return
  await requireKnownWorkspace(em, workspace_id)
  throw invalid({ field: 'owner_id', message: 'must be a member of the workspace' })
}

async function insertUnlessThere(em: EntityManager, request: RegisterResourceRequest) {
  const { service_name, resource_type, resource_id, workspace_id, owner_id } = request
  // Most kinds are there already, and a write that does nothing still costs an identity value.
  await em.execute(
    `insert into resource_kinds (service_name, resource_type) select ?, ?
     where not exists (select from resource_kinds where service_name = ? and resource_type = ?)
     on conflict do nothing`,
    [service_name, resource_type, service_name, resource_type],
  )
  try {
    await em.execute(
      `insert into resources (id, kind_id, resource_id, workspace_id, owner_id, visibility)
       select ?, id, ?, ?, ?, ? from resource_kinds where service_name = ? and resource_type = ?
       on conflict (kind_id, resource_id) do nothing`,
      [
        ...[uuid(), resource_id, workspace_id, owner_id, request.visibility ?? 'private'],
        ...[service_name, resource_type],
      ],
    )
  } catch (error) {
    // The workspace or the owner went away since we looked.
    if (violates(error, 'foreign')) throw resourceMissing()
    throw error
  }
}
