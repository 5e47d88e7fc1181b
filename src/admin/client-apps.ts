import type { EntityManager } from '@mikro-orm/postgresql'
import { v7 as uuid } from 'uuid'
import type {
  ClientAppCreateRequest,
  ClientAppRequest,
  ClientAppResponse,
  ClientAppUpdateRequest,
  ListClientAppsRequest,
  ListClientAppsResponse,
} from '../../gen/daikon/v1/admin_apps.ts'
import type { DeleteResponse } from '../../gen/daikon/v1/workspaces.ts'
import { actorOf, recordActivity } from '../activity/record-activity.ts'
import { changedFields } from '../core/changed-fields.ts'
import { invalidArgument, ServiceError } from '../core/errors.ts'
import type { WriteContext } from '../core/request-context.ts'
import { ClientApp, ClientRedirectUri } from '../database/entities/sign-in.ts'
import { isoTime } from '../database/sql-values.ts'
import { inTransaction } from '../database/transaction.ts'
import { findRedirectUriProblem } from '../identity/redirect-uris.ts'
import { type ClientAppRow, findClientApps, lockClientApp } from './queries.ts'

/** Redirect URIs may use http on any host when `debug` is set, else only on the local machine. */
export type ClientAppContext = WriteContext & { debug: boolean }

/** Creates a client app with its redirect URIs. */
export async function createClientApp(
  { em, principal, debug }: ClientAppContext,
  { name, redirect_uris }: ClientAppCreateRequest,
): Promise<ClientAppResponse> {
  const id = uuid()
  requireRedirectUris(redirect_uris, debug)
  return inTransaction(em, async (em) => {
    const created_by = actorOf(principal).actorId ?? null
    await em.insert(ClientApp, { id, name: name.trim(), created_by })
    await insertRedirectUris(em, id, redirect_uris)
    const app = await requireClientApp(em, id)
    await recordRedirectUris({ em, principal }, 'client_app.created', app)
    return app
  })
}

/** Lists all client apps, oldest first. */
export async function listClientApps(
  { em }: Pick<WriteContext, 'em'>,
  _request: ListClientAppsRequest,
): Promise<ListClientAppsResponse> {
  const rows = await findClientApps(em)
  return { client_apps: rows.map(toClientAppResponse) }
}

/**
 * Changes the name, redirect URIs or state of a client app. Users cannot sign in to an inactive app.
 * An empty list leaves the redirect URIs unchanged.
 */
export async function updateClientApp(
  { em, principal, debug }: ClientAppContext,
  { client_app_id, name, redirect_uris, is_active }: ClientAppUpdateRequest,
): Promise<ClientAppResponse> {
  requireRedirectUris(redirect_uris, debug)
  return inTransaction(em, async (em) => {
    const before = await requireClientApp(em, client_app_id)
    const { id } = before
    const changes = changedFields({ name: name?.trim(), is_active })
    if (changes) await em.nativeUpdate(ClientApp, { id }, changes)
    if (redirect_uris.length > 0) {
      await em.nativeDelete(ClientRedirectUri, { app_id: id })
      await insertRedirectUris(em, id, redirect_uris)
    }
    const app = await requireClientApp(em, id)
    if (app.name !== before.name || joinUris(app) !== joinUris(before)) {
      await recordRedirectUris({ em, principal }, 'client_app.updated', app)
    }
    if (app.is_active !== before.is_active) {
      await recordActivity(em, actorOf(principal), {
        action: app.is_active ? 'client_app.activated' : 'client_app.deactivated',
        targetId: id,
        detail: { name: app.name },
      })
    }
    return app
  })
}

/** Deletes a client app with its redirect URIs. */
export async function deleteClientApp(
  { em, principal }: WriteContext,
  { client_app_id }: ClientAppRequest,
): Promise<DeleteResponse> {
  return inTransaction(em, async (em) => {
    const { id, name } = await requireClientApp(em, client_app_id)
    await em.nativeDelete(ClientApp, { id })
    await recordActivity(em, actorOf(principal), {
      action: 'client_app.deleted',
      targetId: id,
      detail: { name },
    })
    return {}
  })
}

function requireRedirectUris(uris: string[], allowHttp: boolean): void {
  const violations = uris.flatMap((uri, index) => {
    const message = findRedirectUriProblem(uri, allowHttp)
    return message ? [{ field: `redirect_uris[${index}]`, message }] : []
  })
  if (violations.length > 0) throw invalidArgument(...violations)
}

async function insertRedirectUris(em: EntityManager, app_id: string, uris: string[]) {
  const rows = [...new Set(uris)].map((uri) => ({ app_id, uri }))
  await em.insertMany(ClientRedirectUri, rows)
}

/** Returns a client app and locks it, so that concurrent changes run one after the other. */
async function requireClientApp(em: EntityManager, id: string): Promise<ClientAppResponse> {
  const row = await lockClientApp(em, id)
  if (row) return toClientAppResponse(row)
  throw new ServiceError('not_found', 'CLIENT_APP_NOT_FOUND', 'Client app not found')
}

function toClientAppResponse({ created_by, created_at, ...row }: ClientAppRow): ClientAppResponse {
  return { ...row, ...(created_by && { created_by }), created_at: isoTime(created_at) }
}

function joinUris({ redirect_uris }: ClientAppResponse): string {
  return redirect_uris.join(' ')
}

function recordRedirectUris(
  { em, principal }: WriteContext,
  action: 'client_app.created' | 'client_app.updated',
  app: ClientAppResponse,
): Promise<void> {
  return recordActivity(em, actorOf(principal), {
    action,
    targetId: app.id,
    detail: { name: app.name, redirect_uris: joinUris(app) },
  })
}
