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
import { isoTime, type Timestamp } from '../database/sql-values.ts'
import { inTransaction } from '../database/transaction.ts'
import { findRedirectUriProblem } from '../identity/redirect-uris.ts'

/** What registering addresses takes: with `debug` any http one may be. */
export type Registering = WriteContext & {
  debug: boolean
}

/** Registers an app with the addresses that may receive its codes. */
export async function createClientApp(
  { em, principal, debug }: Registering,
  { name, redirect_uris }: ClientAppCreateRequest,
): Promise<ClientAppResponse> {
  const id = uuid()
  requireRedirectUris(redirect_uris, debug)
  return inTransaction(em, async (em) => {
    const created_by = actorOf(principal).actorId ?? null
    await em.insert(ClientApp, { id, name: name.trim(), created_by })
    await insertRedirectUris(em, id, redirect_uris)
    const app = await requireClientApp(em, id)
    await recordAddresses({ em, principal }, 'client_app.created', app)
    return app
  })
}

/** Every app, oldest first. */
export async function listClientApps(
  { em }: Pick<WriteContext, 'em'>,
  _request: ListClientAppsRequest,
): Promise<ListClientAppsResponse> {
  const rows = await em.execute<ClientAppRow[]>(`${select} order by a.id`)
  return { client_apps: rows.map(view) }
}

/** Changes what is given; an app that is not active has no more codes sent to its addresses. */
export async function updateClientApp(
  { em, principal, debug }: Registering,
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
    if (app.name !== before.name || addresses(app) !== addresses(before))
      await recordAddresses({ em, principal }, 'client_app.updated', app)
    if (app.is_active !== before.is_active) {
      const action = app.is_active ? 'client_app.activated' : 'client_app.deactivated'
      const entry = { action, targetId: id, detail: { name: app.name } } as const
      await recordActivity(em, actorOf(principal), entry)
    }
    return app
  })
}

/** Deletes an app; codes under way to its addresses are not sent any more. */
export async function deleteClientApp(
  { em, principal }: WriteContext,
  { client_app_id }: ClientAppRequest,
): Promise<DeleteResponse> {
  return inTransaction(em, async (em) => {
    const { id, name } = await requireClientApp(em, client_app_id)
    await em.nativeDelete(ClientApp, { id })
    const entry = { action: 'client_app.deleted', targetId: id, detail: { name } } as const
    await recordActivity(em, actorOf(principal), entry)
    return {}
  })
}

function requireRedirectUris(uris: string[], anyHttp: boolean): void {
  const problems = uris.flatMap((uri, at) => {
    const message = findRedirectUriProblem(uri, anyHttp)
    return message ? [{ field: `redirect_uris[${at}]`, message }] : []
  })
  if (problems.length > 0) throw invalidArgument(...problems)
}

async function insertRedirectUris(em: EntityManager, app_id: string, uris: string[]) {
  await em.insertMany(
    ClientRedirectUri,
    [...new Set(uris)].map((uri) => ({ app_id, uri })),
  )
}

type ClientAppRow = Omit<ClientAppResponse, 'created_at' | 'created_by'> & {
  created_by: string | null
  created_at: Timestamp
}

const select = `
  select a.id, a.name, a.is_active, a.created_by, a.created_at,
    array(select uri from client_redirect_uris where app_id = a.id order by uri) as redirect_uris
  from client_apps a`

/** The app, held until the end of the transaction: changes come one after the other. */
async function requireClientApp(em: EntityManager, id: string): Promise<ClientAppResponse> {
  const sql = `${select} where a.id = ? for no key update of a`
  const [row] = await em.execute<ClientAppRow[]>(sql, [id])
  if (row) return view(row)
  throw new ServiceError('not_found', 'CLIENT_APP_NOT_FOUND', 'Client app not found')
}

function view({ created_by, created_at, ...row }: ClientAppRow): ClientAppResponse {
  return { ...row, ...(created_by && { created_by }), created_at: isoTime(created_at) }
}

function addresses({ redirect_uris }: ClientAppResponse): string {
  return redirect_uris.join(' ')
}

function recordAddresses(
  { em, principal }: WriteContext,
  action: 'client_app.created' | 'client_app.updated',
  app: ClientAppResponse,
): Promise<void> {
  const detail = { name: app.name, redirect_uris: addresses(app) }
  return recordActivity(em, actorOf(principal), { action, targetId: app.id, detail })
}
