import type {
  DeleteGrantRequest,
  DeleteGrantsRequest,
  DeleteGrantsResponse,
  DeleteMyGrantRequest,
  DeleteWorkspaceGrantRequest,
  Grant,
  GrantPage,
  ListGrantsRequest,
  ListMyGrantsRequest,
  ListMyGrantsResponse,
  ListWorkspaceGrantsRequest,
} from '../../gen/daikon/v1/grants.ts'
import type { DeleteResponse } from '../../gen/daikon/v1/workspaces.ts'
import { actorOf } from '../activity/actor.ts'
import type { ActivityStore } from '../activity/store/activity-store.ts'
import { ServiceError } from '../core/errors.ts'
import { type RequestContext, requireUser } from '../core/request-context.ts'
import type { Page } from '../database/page.ts'
import { isoTime } from '../database/sql-values.ts'
import type { IdentityPorts } from '../identity/ports.ts'
import { connectionName } from '../identity/providers/connection.ts'
import type { SessionStore } from '../identity/store/session-store.ts'
import { endGrants } from './end-grants.ts'
import { reasons } from './reasons.ts'
import type { ConsentStore, Grant as StoredGrant } from './store/consent-store.ts'

type Stores = Pick<IdentityPorts, 'sessionScope'> & {
  activity: ActivityStore
  consents: ConsentStore
  sessions: SessionStore
}

type Context = RequestContext<Stores>

/** Lists the user's grants, newest first. A session through a connection sees those of its workspaces. */
export async function listMyGrants(
  context: Context,
  _request: ListMyGrantsRequest,
): Promise<ListMyGrantsResponse> {
  const grants = await listOwn(context)
  return { grants: grants.map((grant) => viewGrant(grant)) }
}

/** Ends one of the user's grants. */
export async function deleteMyGrant(
  context: Context,
  { grant_id }: DeleteMyGrantRequest,
): Promise<DeleteResponse> {
  const own = await listOwn(context)
  return endOne(context, grant_id, ({ id }) => own.some((grant) => grant.id === id))
}

async function listOwn({ stores, principal }: Context): Promise<StoredGrant[]> {
  const { id: userId, connectionId } = requireUser(principal)
  const grants = await stores.consents.list(userId)
  if (connectionId === undefined) return grants
  const session = { userId, provider: connectionName(connectionId) }
  const workspaces = [...new Set(grants.map(({ workspaceId }) => workspaceId))]
  const reached = await stores.sessionScope.filter(
    session,
    workspaces.map((id) => ({ id })),
  )
  return grants.filter(({ workspaceId }) => reached.some(({ id }) => id === workspaceId))
}

/** Lists a page of the grants in a workspace. */
export async function listWorkspaceGrants(
  { stores }: Context,
  { workspace_id: workspaceId, ...page }: ListWorkspaceGrantsRequest,
): Promise<GrantPage> {
  return viewPage(await stores.consents.findPage({ workspaceId }, page))
}

/** Ends a grant in a workspace. */
export function deleteWorkspaceGrant(
  context: Context,
  { workspace_id, grant_id }: DeleteWorkspaceGrantRequest,
): Promise<DeleteResponse> {
  return endOne(context, grant_id, ({ workspaceId }) => workspaceId === workspace_id)
}

/** Lists a page of the grants of all users. */
export async function listGrants(
  { stores }: Context,
  request: ListGrantsRequest,
): Promise<GrantPage> {
  const { client_id: clientId, user_id: userId, workspace_id: workspaceId, ...rest } = request
  const { host, resource, ...page } = rest
  const filter = { clientId, userId, workspaceId, host, resource }
  return viewPage(await stores.consents.findPage(filter, page))
}

/** Ends the grant of any user. */
export function deleteGrant(
  context: Context,
  { grant_id }: DeleteGrantRequest,
): Promise<DeleteResponse> {
  return endOne(context, grant_id, () => true)
}

/** The number of grants that end in one transaction. */
const bulkSize = 500

/** Ends the grants to a client, or to the clients of a host. Grants created during the call end, too. */
export async function deleteGrants(
  { stores, principal, now }: Context,
  { client_id: clientId, host }: DeleteGrantsRequest,
): Promise<DeleteGrantsResponse> {
  let ended = 0
  for (;;) {
    const ids = await stores.consents.listIds({ clientId, host }, bulkSize)
    if (ids.length === 0) return { ended }
    ended += await stores.transaction((tx) => endGrants(tx, actorOf(principal), ids, now))
  }
}

/** Ends a grant that the caller may end. To others, it does not exist. */
async function endOne(
  { stores, principal, now }: Context,
  id: string,
  mayEnd: (grant: StoredGrant) => boolean,
): Promise<DeleteResponse> {
  return stores.transaction(async (tx) => {
    const [grant] = await tx.consents.lockAll([id])
    if (!grant || !mayEnd(grant)) throw new ServiceError(reasons.GRANT_NOT_FOUND)
    await endGrants(tx, actorOf(principal), [id], now)
    return {}
  })
}

function viewPage({ items, ...page }: Page<StoredGrant>): GrantPage {
  return { ...page, items: items.map((grant) => ({ ...viewGrant(grant), user_id: grant.userId })) }
}

/** Converts a grant to a message, without its user. */
export function viewGrant(grant: StoredGrant): Grant {
  const day = new Date(grant.lastUsedAt)
  day.setUTCHours(0, 0, 0, 0)
  return {
    id: grant.id,
    client_id: grant.clientId,
    client_name: grant.clientName,
    host: grant.host,
    workspace_id: grant.workspaceId,
    ...(grant.resource !== null && { resource: grant.resource }),
    scopes: grant.scopes,
    created_at: isoTime(grant.createdAt),
    last_used_at: isoTime(day),
  }
}
