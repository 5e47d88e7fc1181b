import type { EntityManager } from '@mikro-orm/postgresql'
import { v7 as uuid } from 'uuid'
import type {
  ClientAppCreateRequest,
  ClientAppRequest,
  ClientAppResponse,
  ClientAppRotateRequest,
  ClientAppUpdateRequest,
  ListClientAppsRequest,
  ListClientAppsResponse,
} from '../../gen/daikon/v1/admin_apps.ts'
import type { DeleteResponse } from '../../gen/daikon/v1/workspaces.ts'
import { actorOf, recordActivity } from '../activity/record-activity.ts'
import { changedFields } from '../core/changed-fields.ts'
import { type FieldViolation, invalidArgument, ServiceError } from '../core/errors.ts'
import type { WriteContext } from '../core/request-context.ts'
import { ClientApp, ClientRedirectUri, ClientSecret } from '../database/entities/sign-in.ts'
import { isoTime } from '../database/sql-values.ts'
import { inTransaction } from '../database/transaction.ts'
import {
  clientSecretPrefix,
  createClientSecret,
  hashClientSecret,
} from '../identity/client-secrets.ts'
import { findRedirectUriProblem } from '../identity/redirect-uris.ts'
import { endSessions } from '../identity/refresh-families.ts'
import { type ClientAppRow, expireClientSecrets, findClientApps, lockClientApp } from './queries.ts'

/** With `debug`, redirect URIs may use http on any host; without it, only on the local machine. */
export type ClientAppContext = WriteContext & { debug: boolean }

/** Creates a client app with its redirect URIs and, if it is confidential, its first secret. */
export async function createClientApp(
  { em, principal, debug }: ClientAppContext,
  request: ClientAppCreateRequest,
): Promise<ClientAppResponse> {
  const id = uuid()
  const { name, type = 'public', redirect_uris, post_logout_redirect_uris } = request
  requireUrls(request, debug)
  return inTransaction(em, async (em) => {
    await em.insert(ClientApp, {
      id,
      name: name.trim(),
      type,
      post_logout_redirect_uris: sortUris(post_logout_redirect_uris),
      backchannel_logout_uri: request.backchannel_logout_uri || null,
      created_by: actorOf(principal).actorId ?? null,
    })
    await insertRedirectUris(em, id, redirect_uris)
    const secret = type === 'confidential' ? await insertSecret(em, id) : undefined
    const app = await requireClientApp(em, id)
    await recordRedirectUris({ em, principal }, 'client_app.created', app)
    return withSecret(app, secret)
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
 * Changes a client app. Users cannot sign in to an inactive app. An empty list leaves the URIs
 * unchanged. An app that becomes confidential receives its first secret.
 */
export async function updateClientApp(
  { em, principal, debug }: ClientAppContext,
  request: ClientAppUpdateRequest,
): Promise<ClientAppResponse> {
  requireUrls(request, debug)
  return inTransaction(em, async (em) => {
    const before = await requireClientApp(em, request.client_app_id)
    const { id } = before
    const changes = readChanges(request)
    if (changes) await em.nativeUpdate(ClientApp, { id }, changes)
    if (request.redirect_uris.length > 0) {
      await em.nativeDelete(ClientRedirectUri, { app_id: id })
      await insertRedirectUris(em, id, request.redirect_uris)
    }
    const secret = await changeType(em, before, request.type)
    const app = await requireClientApp(em, id)
    if (describeSettings(app) !== describeSettings(before)) {
      await recordRedirectUris({ em, principal }, 'client_app.updated', app)
    }
    if (app.is_active !== before.is_active) {
      await recordActivity(em, actorOf(principal), {
        action: app.is_active ? 'client_app.activated' : 'client_app.deactivated',
        targetId: id,
        detail: { name: app.name },
      })
    }
    return withSecret(app, secret)
  })
}

/**
 * Creates a new secret. Previous secrets expire after `overlap_seconds`, or earlier if they were
 * already due to.
 */
export async function rotateClientApp(
  { em, principal }: WriteContext,
  { client_app_id, overlap_seconds = 86_400 }: ClientAppRotateRequest,
): Promise<ClientAppResponse> {
  return inTransaction(em, async (em) => {
    const { id, name, type } = await requireClientApp(em, client_app_id)
    if (type !== 'confidential') {
      throw new ServiceError(
        'failed_precondition',
        'CLIENT_APP_PUBLIC',
        'A public client app has no secret. Set its type to confidential to create one.',
      )
    }
    await expireClientSecrets(em, id, overlap_seconds)
    const secret = await insertSecret(em, id)
    const secret_prefix = clientSecretPrefix(secret)
    await recordActivity(em, actorOf(principal), {
      action: 'client_app.secret_rotated',
      targetId: id,
      detail: { name, secret_prefix, overlap_seconds: String(overlap_seconds) },
    })
    return withSecret(await requireClientApp(em, id), secret)
  })
}

/** Deletes a client app with its redirect URIs and secrets, and ends its sessions. */
export async function deleteClientApp(
  { em, principal }: WriteContext,
  { client_app_id }: ClientAppRequest,
): Promise<DeleteResponse> {
  return inTransaction(em, async (em) => {
    const { id, name } = await requireClientApp(em, client_app_id)
    await endSessions(em, new Date(), { client_id: id })
    await em.nativeDelete(ClientApp, { id })
    await recordActivity(em, actorOf(principal), {
      action: 'client_app.deleted',
      targetId: id,
      detail: { name },
    })
    return {}
  })
}

type ClientUrls = Pick<
  ClientAppCreateRequest,
  'redirect_uris' | 'post_logout_redirect_uris' | 'backchannel_logout_uri'
>

function requireUrls(request: ClientUrls, allowHttp: boolean): void {
  const { redirect_uris, post_logout_redirect_uris, backchannel_logout_uri } = request
  const violations = [
    ...findUrlViolations('redirect_uris', redirect_uris, allowHttp),
    ...findUrlViolations('post_logout_redirect_uris', post_logout_redirect_uris, allowHttp),
  ]
  const message =
    backchannel_logout_uri && findRedirectUriProblem(backchannel_logout_uri, allowHttp)
  if (message) violations.push({ field: 'backchannel_logout_uri', message })
  if (violations.length > 0) throw invalidArgument(...violations)
}

function findUrlViolations(name: string, uris: string[], allowHttp: boolean): FieldViolation[] {
  return uris.flatMap((uri, index) => {
    const message = findRedirectUriProblem(uri, allowHttp)
    return message ? [{ field: `${name}[${index}]`, message }] : []
  })
}

function readChanges(request: ClientAppUpdateRequest) {
  const { name, is_active, type, post_logout_redirect_uris, backchannel_logout_uri } = request
  const hasPostLogoutUris = post_logout_redirect_uris.length > 0
  const postLogoutUris = request.remove_post_logout_redirect_uris ? [] : undefined
  return changedFields({
    name: name?.trim(),
    is_active,
    type,
    post_logout_redirect_uris: hasPostLogoutUris
      ? sortUris(post_logout_redirect_uris)
      : postLogoutUris,
    backchannel_logout_uri: backchannel_logout_uri === '' ? null : backchannel_logout_uri,
  })
}

/**
 * Creates the first secret of an app that becomes confidential, or deletes the secrets of an app
 * that becomes public.
 */
async function changeType(
  em: EntityManager,
  before: ClientAppResponse,
  type: string | undefined,
): Promise<string | undefined> {
  if (type === undefined || type === before.type) return undefined
  if (type === 'confidential') return insertSecret(em, before.id)
  await em.nativeDelete(ClientSecret, { app_id: before.id })
  return undefined
}

async function insertRedirectUris(em: EntityManager, app_id: string, uris: string[]) {
  const rows = [...new Set(uris)].map((uri) => ({ app_id, uri }))
  await em.insertMany(ClientRedirectUri, rows)
}

async function insertSecret(em: EntityManager, app_id: string): Promise<string> {
  const secret = createClientSecret()
  await em.insert(ClientSecret, {
    secret_hash: hashClientSecret(secret),
    secret_prefix: clientSecretPrefix(secret),
    app_id,
  })
  return secret
}

/** Locks and returns a client app, so that concurrent changes run one after the other. */
async function requireClientApp(em: EntityManager, id: string): Promise<ClientAppResponse> {
  const row = await lockClientApp(em, id)
  if (row) return toClientAppResponse(row)
  throw new ServiceError('not_found', 'CLIENT_APP_NOT_FOUND', 'Client app not found')
}

function toClientAppResponse({
  created_by,
  created_at,
  backchannel_logout_uri,
  secret_prefix,
  ...row
}: ClientAppRow): ClientAppResponse {
  return {
    ...row,
    ...(created_by && { created_by }),
    ...(backchannel_logout_uri && { backchannel_logout_uri }),
    ...(secret_prefix && { secret_prefix }),
    created_at: isoTime(created_at),
  }
}

function withSecret(app: ClientAppResponse, secret: string | undefined): ClientAppResponse {
  return secret === undefined ? app : { ...app, client_secret: secret }
}

function sortUris(uris: string[]): string[] {
  return [...new Set(uris)].toSorted()
}

/** Returns the settings whose changes `client_app.updated` reports. */
function describeSettings(app: ClientAppResponse): string {
  const { name, type, redirect_uris, post_logout_redirect_uris, backchannel_logout_uri } = app
  const settings = { name, type, redirect_uris, post_logout_redirect_uris, backchannel_logout_uri }
  return JSON.stringify(settings)
}

function recordRedirectUris(
  { em, principal }: WriteContext,
  action: 'client_app.created' | 'client_app.updated',
  app: ClientAppResponse,
): Promise<void> {
  return recordActivity(em, actorOf(principal), {
    action,
    targetId: app.id,
    detail: { name: app.name, type: app.type, redirect_uris: app.redirect_uris.join(' ') },
  })
}
