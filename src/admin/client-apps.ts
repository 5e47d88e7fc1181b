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
import { record } from '../activity/record.ts'
import { redirectUriMistake } from '../identity/redirect-uri.ts'
import { type Acting, actorOf, type Context } from '../rpc/call.ts'
import { Fault, invalid } from '../rpc/fault.ts'
import { ClientApp, ClientRedirectUri } from '../storage/entities/sign-in.ts'
import { given } from '../storage/given.ts'
import { isoTime, type Timestamp } from '../storage/timestamp.ts'
import { inTransaction } from '../storage/transaction.ts'

/** What registering addresses takes: with `debug` any http one may be. */
export type Registering = Acting & {
  identity: { options: Pick<Context['identity']['options'], 'debug'> }
}

/** Registers an app with the addresses that may receive its codes. */
export async function createClientApp(
  { em, caller, identity }: Registering,
  { name, redirect_uris }: ClientAppCreateRequest,
): Promise<ClientAppResponse> {
  const id = uuid()
  requireRedirectUris(redirect_uris, identity.options.debug)
  return inTransaction(em, async (em) => {
    const created_by = actorOf(caller).actorId ?? null
    await em.insert(ClientApp, { id, name: name.trim(), created_by })
    await insertRedirectUris(em, id, redirect_uris)
    const app = await requireClientApp(em, id)
    await recordAddresses({ em, caller }, 'client_app.created', app)
    return app
  })
}

/** Every app, oldest first. */
export async function listClientApps(
  { em }: Pick<Acting, 'em'>,
  _request: ListClientAppsRequest,
): Promise<ListClientAppsResponse> {
  const rows = await em.execute<ClientAppRow[]>(`${select} order by a.id`)
  return { client_apps: rows.map(view) }
}

/** Changes what is given; an app that is not active has no more codes sent to its addresses. */
export async function updateClientApp(
  { em, caller, identity }: Registering,
  { client_app_id, name, redirect_uris, is_active }: ClientAppUpdateRequest,
): Promise<ClientAppResponse> {
  requireRedirectUris(redirect_uris, identity.options.debug)
  return inTransaction(em, async (em) => {
    const before = await requireClientApp(em, client_app_id)
    const { id } = before
    const changes = given({ name: name?.trim(), is_active })
    if (changes) await em.nativeUpdate(ClientApp, { id }, changes)
    if (redirect_uris.length > 0) {
      await em.nativeDelete(ClientRedirectUri, { app_id: id })
      await insertRedirectUris(em, id, redirect_uris)
    }
    const app = await requireClientApp(em, id)
    if (app.name !== before.name || addresses(app) !== addresses(before))
      await recordAddresses({ em, caller }, 'client_app.updated', app)
    if (app.is_active !== before.is_active) {
      const action = app.is_active ? 'client_app.activated' : 'client_app.deactivated'
      const entry = { action, targetId: id, detail: { name: app.name } } as const
      await record(em, actorOf(caller), entry)
    }
    return app
  })
}

/** Deletes an app; codes under way to its addresses are not sent any more. */
export async function deleteClientApp(
  { em, caller }: Acting,
  { client_app_id }: ClientAppRequest,
): Promise<DeleteResponse> {
  return inTransaction(em, async (em) => {
    const { id, name } = await requireClientApp(em, client_app_id)
    await em.nativeDelete(ClientApp, { id })
    const entry = { action: 'client_app.deleted', targetId: id, detail: { name } } as const
    await record(em, actorOf(caller), entry)
    return {}
  })
}

function requireRedirectUris(uris: string[], anyHttp: boolean): void {
  const problems = uris.flatMap((uri, at) => {
    const message = redirectUriMistake(uri, anyHttp)
    return message ? [{ field: `redirect_uris[${at}]`, message }] : []
  })
  if (problems.length > 0) throw invalid(...problems)
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
  throw new Fault('missing', 'CLIENT_APP_NOT_FOUND', 'Client app not found')
}

function view({ created_by, created_at, ...row }: ClientAppRow): ClientAppResponse {
  return { ...row, ...(created_by && { created_by }), created_at: isoTime(created_at) }
}

function addresses({ redirect_uris }: ClientAppResponse): string {
  return redirect_uris.join(' ')
}

function recordAddresses(
  { em, caller }: Acting,
  action: 'client_app.created' | 'client_app.updated',
  app: ClientAppResponse,
): Promise<void> {
  const detail = { name: app.name, redirect_uris: addresses(app) }
  return record(em, actorOf(caller), { action, targetId: app.id, detail })
}
