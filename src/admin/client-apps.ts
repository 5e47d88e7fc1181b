import type { EntityManager } from '@mikro-orm/postgresql'
import { v7 as uuid } from 'uuid'
import { redirectUriMistake } from '../identity/redirect-uri.ts'
import { Fault, invalid } from '../rpc/fault.ts'
import { ClientApp, ClientRedirectUri } from '../storage/entities/sign-in.ts'
import { isoTime, type Timestamp } from '../storage/timestamp.ts'
import { inTransaction } from '../storage/transaction.ts'

/** A client app as it is shown (contract 10). */
export type ClientAppView = {
  id: string
  name: string
  redirect_uris: string[]
  is_active: boolean
  created_at: string
}

type ClientAppRow = Omit<ClientAppView, 'created_at'> & { created_at: Timestamp }

/** Registers an app with the addresses that may receive its codes. */
export async function createClientApp(
  em: EntityManager,
  { name, redirect_uris }: { name: string; redirect_uris: string[] },
  { anyHttp }: { anyHttp: boolean },
): Promise<ClientAppView> {
  const id = uuid()
  requireRedirectUris(redirect_uris, anyHttp)
  return inTransaction(em, async (em) => {
    await em.insert(ClientApp, { id, name })
    for (const uri of new Set(redirect_uris))
      await em.insert(ClientRedirectUri, { app_id: id, uri })
    return requireClientApp(em, id)
  })
}

/** Every app, oldest first. */
export async function listClientApps(em: EntityManager): Promise<ClientAppView[]> {
  const rows = await em.execute<ClientAppRow[]>(`${select} group by a.id order by a.id`)
  return rows.map(view)
}

/** Sends no more codes to the app's addresses. */
export async function deactivateClientApp(em: EntityManager, id: string): Promise<ClientAppView> {
  return inTransaction(em, async (em) => {
    await em.nativeUpdate(ClientApp, { id }, { is_active: false })
    return requireClientApp(em, id)
  })
}

function requireRedirectUris(uris: string[], anyHttp: boolean): void {
  if (uris.length === 0) throw invalid({ field: 'redirect_uris', message: 'is required' })
  const problems = uris.flatMap((uri, at) => {
    const message = redirectUriMistake(uri, anyHttp)
    return message ? [{ field: `redirect_uris[${at}]`, message }] : []
  })
  if (problems.length > 0) throw invalid(...problems)
}

const select = `
  select a.id, a.name, a.is_active, a.created_at,
    array_agg(u.uri order by u.uri) filter (where u.uri is not null) as redirect_uris
  from client_apps a left join client_redirect_uris u on u.app_id = a.id`

async function requireClientApp(em: EntityManager, id: string): Promise<ClientAppView> {
  const [row] = await em.execute<ClientAppRow[]>(`${select} where a.id = ? group by a.id`, [id])
  if (row) return view(row)
  throw new Fault('missing', 'CLIENT_APP_NOT_FOUND', 'Client app not found')
}

function view({ id, name, redirect_uris, is_active, created_at }: ClientAppRow): ClientAppView {
  return {
    id,
    name,
    redirect_uris: redirect_uris ?? [],
    is_active,
    created_at: isoTime(created_at),
  }
}
