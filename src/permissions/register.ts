import type { EntityManager } from '@mikro-orm/postgresql'
import { v7 as uuid } from 'uuid'
import type {
  GetResourceRequest,
  RegisterResourceRequest,
  ResourcePermissionResponse,
  UnregisterRequest,
  UnregisterResponse,
} from '../../gen/daikon/v1/permissions.ts'
import { invalidArgument, ServiceError } from '../core/errors.ts'
import type { RequestContext, WriteContext } from '../core/request-context.ts'
import { batched } from '../database/batched-query.ts'
import { violates } from '../database/database-errors.ts'
import { Member } from '../database/entities/people.ts'
import { preparedChange } from '../database/prepared.ts'
import { requireKnownWorkspace } from '../workspaces/require-workspace.ts'
import {
  findResource,
  type Resource,
  requireResource,
  resourceNotFound,
  viewFacts,
  viewResource,
} from './resource.ts'

/** Makes a resource known; a repetition answers the record as it is now. */
export async function register(
  { em }: WriteContext,
  request: RegisterResourceRequest,
): Promise<ResourcePermissionResponse> {
  const made = await insert(em, request)
  if (made) return { ...viewFacts(made), shares: [] }
  const resource = (await findResource(em, request)) ?? (await insertFirst(em, request))
  const same =
    resource.workspace_id === request.workspace_id.toLowerCase() &&
    resource.owner_id === request.owner_id.toLowerCase()
  if (same) return viewResource(em, resource)
  const detail = 'The resource is registered with another workspace or owner'
  throw new ServiceError('already_exists', 'RESOURCE_REGISTERED', detail)
}

/** A resource's record by its service's own name for it. */
export async function getResource(
  { em }: RequestContext,
  request: GetResourceRequest,
): Promise<ResourcePermissionResponse> {
  const resource = await findResource(em, request)
  if (!resource) throw resourceNotFound()
  return viewResource(em, resource)
}

/** Forgets a resource; its shares go with it. */
export async function unregister(
  { em, principal }: RequestContext,
  { permission_id }: UnregisterRequest,
): Promise<UnregisterResponse> {
  const { id } = await requireResource(em, principal, permission_id)
  await preparedChange(em, {
    ...{ name: 'unregister', text: 'delete from resources where id = $1', values: [id] },
  })
  return {}
}

async function requireWorkspaceAndOwner(em: EntityManager, request: RegisterResourceRequest) {
  const { workspace_id, owner_id } = request
  if (await em.count(Member, { workspace_id, user_id: owner_id })) return
  await requireKnownWorkspace(em, workspace_id)
  throw invalidArgument({ field: 'owner_id', message: 'must be a member of the workspace' })
}

/** What the first resource of a kind takes, and one that can't be registered is refused for. */
async function insertFirst(em: EntityManager, request: RegisterResourceRequest): Promise<Resource> {
  await requireWorkspaceAndOwner(em, request)
  // Most kinds are there already, and a write that does nothing still costs an identity value.
  await preparedChange(em, {
    name: 'register_kind',
    text: `
      insert into resource_kinds (service_name, resource_type) select $1, $2
      where not exists (select from resource_kinds where service_name = $1 and resource_type = $2)
      on conflict do nothing`,
    values: [request.service_name, request.resource_type],
  })
  const resource = (await insert(em, request)) ?? (await findResource(em, request))
  if (!resource) throw resourceNotFound()
  return resource
}

/** The record of a member's resource of a known kind; undefined when it is not so, or there already. */
async function insert(
  em: EntityManager,
  request: RegisterResourceRequest,
): Promise<Resource | undefined> {
  const { service_name, resource_type, visibility = 'private' } = request
  try {
    const made = await batched<Resource>(em, registration, {
      ...{ ...request, id: uuid(), visibility },
    })
    return made && { ...made, service_name, resource_type }
  } catch (error) {
    // The workspace or the owner went away meanwhile.
    if (violates(error, 'foreign')) throw resourceNotFound()
    throw error
  }
}

const registration = {
  name: 'register',
  run: preparedChange,
  text: `
    with asked as (
      select * from json_to_recordset($1) as asked (
        place int, id uuid, service_name text, resource_type text, resource_id uuid,
        workspace_id uuid, owner_id uuid, visibility text)
    ), made as (
      insert into resources (id, kind_id, resource_id, workspace_id, owner_id, visibility)
      select a.id, k.id, a.resource_id, m.workspace_id, m.user_id, a.visibility
      from asked a
      join resource_kinds k using (service_name, resource_type)
      join members m on m.workspace_id = a.workspace_id and m.user_id = a.owner_id
      order by k.id, a.resource_id
      on conflict (kind_id, resource_id) do nothing
      returning *
    )
    select asked.place, made.* from made join asked using (id)`,
}
