import type {
  CreatedLink,
  CreateLinkRequest,
  DeleteLinkRequest,
  DeleteLinkResponse,
  ListLinksRequest,
  ListLinksResponse,
  ResourceLink,
} from '../../gen/daikon/v1/links.ts'
import { actorOf, userIdOf } from '../activity/actor.ts'
import type { ActivityStore } from '../activity/store/activity-store.ts'
import { invalidArgument, ServiceError } from '../core/errors.ts'
import { noExpiry, readExpiry } from '../core/expiry.ts'
import { quotaExceeded } from '../core/quotas.ts'
import type { RequestContext, WriteContext } from '../core/request-context.ts'
import type { RolloutStore } from '../database/rollout-store.ts'
import { isoTime } from '../database/sql-values.ts'
import { createSecret, hashSecret } from '../identity/secret.ts'
import { describeGrantCondition, readGrantCondition } from '../permissions/grant-condition.ts'
import {
  readPermission,
  requireManageableResource,
  resourceNotFound,
} from '../permissions/resource.ts'
import {
  readGrantedPermission,
  requireRole,
  roleMigration,
  unknownRole,
} from '../permissions/share-terms.ts'
import { type Resource, toWireKey } from '../permissions/store/resource-sql.ts'
import type { ResourceStore } from '../permissions/store/resource-store.ts'
import type { ResourceTypeStore } from '../permissions/store/resource-type-store.ts'
import { reasons } from './reasons.ts'
import type { LinkSettings } from './settings.ts'
import type { Link, LinkStore } from './store/link-store.ts'

/** The migration that lets links have conditions. */
const conditionMigration = 55

type LinkStores = {
  activity: ActivityStore
  links: LinkStore
  resources: ResourceStore
  resourceTypes: ResourceTypeStore
  rollout: RolloutStore
}

/** Creates a link to a resource. Its token is returned once; the database stores only its hash. */
export async function createLink(
  {
    stores,
    principal,
    now,
    settings,
  }: WriteContext<LinkStores> & Pick<RequestContext, 'now'> & { settings: LinkSettings },
  request: CreateLinkRequest,
): Promise<CreatedLink> {
  const expiresAt = readExpiry(request.expires_at, now)
  const permission = readGrantedPermission(request)
  const resource = await requireManageableResource(stores, principal, request)
  if (request.role !== undefined) await requireLinkableRole(stores, resource, request.role)
  if (request.condition)
    await stores.rollout.requireAllNodesKnow(conditionMigration, 'A link with a condition')
  const token = `dl_${createSecret()}`
  const create = async (tx: LinkStores): Promise<Link | undefined> => {
    const condition = await readGrantCondition(tx, resource, request.condition)
    const count = await tx.links.lockAndCount(resource)
    if (count === undefined) throw resourceNotFound()
    if (count >= settings.MAX_LINKS_PER_RESOURCE)
      throw quotaExceeded(settings, 'MAX_LINKS_PER_RESOURCE')
    if (request.role !== undefined && !(await tx.links.keepRole(resource.kindId, request.role)))
      throw unknownRole(resource, request.role)
    // The declaration has been replaced since the condition was read.
    if (condition && !(await tx.links.keepCondition(resource.kindId, condition))) return undefined
    const actor = actorOf(principal)
    const created = await tx.links.create({
      resource,
      tokenHash: hashSecret(token),
      permission,
      name: request.name,
      createdBy: userIdOf(actor),
      expiresAt,
      condition,
    })
    const event = linkEvent('permission.link_created', resource, created)
    const detail = { ...event.detail, condition: describeGrantCondition(request.condition) }
    await tx.activity.record(actor, { ...event, detail })
    return created
  }
  for (;;) {
    const link = await stores.transaction(create)
    if (link) return { ...viewLink(link), token }
  }
}

/** Lists the links to a resource, without their tokens. */
export async function listLinks(
  { stores, principal }: RequestContext<LinkStores>,
  request: ListLinksRequest,
): Promise<ListLinksResponse> {
  const resource = await requireManageableResource(stores, principal, request)
  return { links: (await stores.links.list(resource)).map(viewLink) }
}

/** Revokes a link. */
export async function deleteLink(
  { stores, principal }: WriteContext<LinkStores>,
  request: DeleteLinkRequest,
): Promise<DeleteLinkResponse> {
  const resource = await requireManageableResource(stores, principal, request)
  await stores.transaction(async (tx) => {
    const link = await tx.links.delete(resource, request.link_id)
    if (!link) throw new ServiceError(reasons.LINK_NOT_FOUND)
    const event = linkEvent('permission.link_revoked', resource, link)
    await tx.activity.record(actorOf(principal), event)
  })
  return {}
}

/** Requires that the type has the role, and that it does not contain `manage`. */
async function requireLinkableRole(
  { resourceTypes, rollout }: LinkStores,
  resource: Resource,
  name: string,
): Promise<void> {
  const role = await requireRole({ resourceTypes }, resource, name)
  if (role.actions.includes('manage'))
    throw invalidArgument({ field: 'role', message: 'must not contain manage' })
  await rollout.requireAllNodesKnow(roleMigration, 'A link with a role')
}

function viewLink(link: Link): ResourceLink {
  const { permission, role } = readPermission(link.permission)
  return {
    id: link.id,
    permission: permission === '' ? undefined : permission,
    role,
    name: link.name ?? undefined,
    created_by: link.createdBy ?? undefined,
    created_at: isoTime(link.createdAt),
    expires_at: link.expiresAt === null ? undefined : isoTime(link.expiresAt),
    last_used_on: link.lastUsedOn ?? undefined,
    condition: link.condition ?? undefined,
  }
}

function linkEvent<Name extends 'permission.link_created' | 'permission.link_revoked'>(
  action: Name,
  resource: Resource,
  { id, permission, expiresAt }: Link,
) {
  return {
    action,
    targetId: resource.id,
    workspaceId: resource.workspaceId,
    detail: {
      ...toWireKey(resource),
      link_id: id,
      permission,
      expires_at: expiresAt === null ? noExpiry : isoTime(expiresAt),
    },
  }
}
