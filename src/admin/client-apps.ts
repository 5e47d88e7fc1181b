import type {
  ClientAppCreateRequest,
  ClientAppRequest,
  ClientAppResponse,
  ClientAppRotateRequest,
  ClientAppUpdateRequest,
  GetClientAppRequest,
  ListClientAppsRequest,
  ListClientAppsResponse,
} from '../../gen/daikon/v1/admin_apps.ts'
import type { DeleteResponse } from '../../gen/daikon/v1/workspaces.ts'
import { actorOf, userIdOf } from '../activity/actor.ts'
import type { ActivityStore } from '../activity/store/activity-store.ts'
import { createEntityTag, requireMatch } from '../core/entity-tag.ts'
import { type FieldViolation, invalidArgument, ServiceError } from '../core/errors.ts'
import { newId } from '../core/new-id.ts'
import type { RequestContext, WriteContext } from '../core/request-context.ts'
import type { RolloutStore } from '../database/rollout-store.ts'
import { isoTime } from '../database/sql-values.ts'
import { readKeySet } from '../identity/client-keys.ts'
import {
  clientSecretPrefix,
  createClientSecret,
  hashClientSecret,
} from '../identity/client-secrets.ts'
import { findRedirectUriProblem } from '../identity/redirect-uris.ts'
import type { RevocationStore } from '../identity/store/revocation-store.ts'
import type { SessionStore } from '../identity/store/session-store.ts'
import type { OutboundHosts } from '../outbound/outbound-hosts.ts'
import type { ServiceAccountStore } from '../workspaces/store/service-account-store.ts'
import type { WorkspaceStore } from '../workspaces/store/workspace-store.ts'
import { requireWorkspaceExists } from '../workspaces/workspaces.ts'
import { reasons } from './reasons.ts'
import type { ClientAppChanges, ClientAppStore, StoredClientApp } from './store/client-app-store.ts'

type AppStores = {
  activity: ActivityStore
  clientApps: ClientAppStore
  revocations: RevocationStore
  rollout: RolloutStore
  serviceAccounts: ServiceAccountStore
  sessions: SessionStore
  workspaces: WorkspaceStore
}

/** The migration whose nodes ask for consent. */
const consentMigration = 103

export type ClientAppContext = WriteContext<AppStores> & {
  /** Whether redirect URIs may use http on any host, and not only on the local machine. */
  debug: boolean
  /** The hosts that may receive logout tokens. */
  backchannelHosts: OutboundHosts
}

/** Creates a client app with its redirect URIs and, if it is confidential, its first secret. */
export async function createClientApp(
  context: ClientAppContext,
  request: ClientAppCreateRequest,
): Promise<ClientAppResponse> {
  const { stores, principal } = context
  const id = newId()
  const { type = 'public', redirect_uris, workspace_id } = request
  const { pkce_required: pkceRequired = true } = request
  requireUrls(request, context)
  requirePkceOfPublicApp({ type, pkceRequired })
  const jwks = readKeySet(request.jwks)
  const serviceAccountId = request.service_account_id || null
  requireMachineSettings({ type, redirectUris: redirect_uris, serviceAccountId, jwks })
  const settings = {
    name: request.name.trim(),
    type,
    isActive: true,
    postLogoutRedirectUris: sortUris(request.post_logout_redirect_uris),
    backchannelLogoutUri: request.backchannel_logout_uri || null,
    pkceRequired,
    popupSignIn: request.popup_sign_in ?? false,
    consentRequired: request.consent_required ?? false,
    workspaceId: workspace_id || null,
    serviceAccountId,
    jwks,
  }
  return stores.transaction(async (tx) => {
    await tx.clientApps.lockRedirectUris(redirect_uris)
    if (workspace_id) await requireWorkspaceExists(tx.workspaces, workspace_id)
    if (serviceAccountId) await requireAccountExists(tx.serviceAccounts, serviceAccountId)
    if (settings.consentRequired) await requireConsentNodes(tx)
    await tx.clientApps.insert(id, settings, userIdOf(actorOf(principal)))
    await tx.clientApps.setRedirectUris(id, redirect_uris)
    await requireOwnUris(tx.clientApps, id)
    const secret = type === 'confidential' ? await insertSecret(tx.clientApps, id) : undefined
    const app = await requireClientApp(tx.clientApps, id)
    await tx.activity.record(actorOf(principal), settingsEvent('client_app.created', app))
    return toResponse(app, secret)
  })
}

/** Lists all client apps, oldest first. */
export async function listClientApps(
  { stores }: Pick<RequestContext<{ clientApps: ClientAppStore }>, 'stores'>,
  _request: ListClientAppsRequest,
): Promise<ListClientAppsResponse> {
  const apps = await stores.clientApps.list()
  return { client_apps: apps.map((app) => toResponse(app)) }
}

/** Returns a client app. */
export async function getClientApp(
  { stores: { clientApps } }: Pick<RequestContext<{ clientApps: ClientAppStore }>, 'stores'>,
  { client_app_id }: GetClientAppRequest,
): Promise<ClientAppResponse> {
  const app = await clientApps.find(client_app_id)
  if (!app) throw new ServiceError(reasons.CLIENT_APP_NOT_FOUND)
  return { ...toResponse(app), etag: tagOf(app) }
}

/**
 * Changes a client app. Users cannot sign in to an inactive app. An empty list leaves the URIs
 * unchanged. An app that becomes confidential receives its first secret.
 */
export async function updateClientApp(
  context: ClientAppContext,
  request: ClientAppUpdateRequest,
): Promise<ClientAppResponse> {
  requireUrls(request, context)
  const { stores, principal } = context
  return stores.transaction(async (tx) => {
    const before = await requireClientApp(tx.clientApps, request.client_app_id)
    requireMatch(request.if_match, tagOf(before))
    await tx.clientApps.lockRedirectUris([...before.redirectUris, ...request.redirect_uris])
    const { id } = before
    const { type = before.type, pkce_required: pkceRequired = before.pkceRequired } = request
    requirePkceOfPublicApp({ type, pkceRequired })
    if (request.workspace_id) await requireWorkspaceExists(tx.workspaces, request.workspace_id)
    const changes = readChanges(request)
    const { serviceAccountId = before.serviceAccountId, jwks = before.jwks } = changes
    const redirectUris =
      request.redirect_uris.length > 0 ? request.redirect_uris : before.redirectUris
    requireMachineSettings({ type, redirectUris, serviceAccountId, jwks })
    if (changes.serviceAccountId)
      await requireAccountExists(tx.serviceAccounts, changes.serviceAccountId)
    if (changes.consentRequired) await requireConsentNodes(tx)
    await tx.clientApps.update(id, changes)
    if (request.redirect_uris.length > 0)
      await tx.clientApps.setRedirectUris(id, request.redirect_uris)
    await requireOwnUris(tx.clientApps, id)
    const secret = await changeType(tx.clientApps, before, request.type)
    const app = await requireClientApp(tx.clientApps, id)
    if (!app.isActive || app.serviceAccountId !== before.serviceAccountId)
      await tx.revocations.denyClientTokens(id)
    if (describeSettings(app) !== describeSettings(before))
      await tx.activity.record(actorOf(principal), settingsEvent('client_app.updated', app))
    if (app.isActive !== before.isActive) {
      await tx.activity.record(actorOf(principal), {
        action: app.isActive ? 'client_app.activated' : 'client_app.deactivated',
        targetId: id,
        detail: { name: app.name },
      })
    }
    return { ...toResponse(app, secret), etag: tagOf(app) }
  })
}

/**
 * Creates a new secret. Previous secrets expire after `overlap_seconds`, or earlier if they were
 * already due to. Without an overlap, the tokens that the app obtained with its own credentials end.
 */
export async function rotateClientApp(
  { stores, principal }: WriteContext<AppStores>,
  { client_app_id, overlap_seconds = 86_400 }: ClientAppRotateRequest,
): Promise<ClientAppResponse> {
  return stores.transaction(async (tx) => {
    const { id, name, type } = await requireClientApp(tx.clientApps, client_app_id)
    if (type !== 'confidential') {
      throw new ServiceError(reasons.CLIENT_APP_PUBLIC)
    }
    await tx.clientApps.expireSecrets(id, overlap_seconds)
    if (overlap_seconds === 0) await tx.revocations.denyClientTokens(id)
    const secret = await insertSecret(tx.clientApps, id)
    const secret_prefix = clientSecretPrefix(secret)
    await tx.activity.record(actorOf(principal), {
      action: 'client_app.secret_rotated',
      targetId: id,
      detail: { name, secret_prefix, overlap_seconds: String(overlap_seconds) },
    })
    return toResponse(await requireClientApp(tx.clientApps, id), secret)
  })
}

/** Deletes a client app with its redirect URIs and secrets, and ends its sessions. */
export async function deleteClientApp(
  { stores, principal }: WriteContext<AppStores>,
  { client_app_id, if_match }: ClientAppRequest,
): Promise<DeleteResponse> {
  return stores.transaction(async (tx) => {
    const app = await requireClientApp(tx.clientApps, client_app_id)
    requireMatch(if_match, tagOf(app))
    const { id, name } = app
    await tx.sessions.end({ clientId: id }, new Date())
    await tx.sessions.end({ loginClientId: id }, new Date())
    await tx.revocations.denyClientTokens(id)
    await tx.clientApps.delete(id)
    const event = { action: 'client_app.deleted', targetId: id, detail: { name } } as const
    await tx.activity.record(actorOf(principal), event)
    return {}
  })
}

/**
 * Throws if a bound app would share a redirect URI. `/auth/login` identifies an app by its redirect
 * URI alone, so another app with the same one would escape the binding.
 */
async function requireOwnUris(clientApps: ClientAppStore, id: string): Promise<void> {
  const shared = await clientApps.findSharedUri(id)
  if (!shared) return
  throw new ServiceError(
    reasons.REDIRECT_URI_TAKEN,
    `redirect_uris: ${shared.uri} is also registered for the app ${shared.name}, and an app that is bound to a workspace cannot share its redirect URIs`,
  )
}

/** A client app without redirect URIs needs a service account, which only confidential apps can have. */
function requireMachineSettings(app: {
  type: string
  redirectUris: string[]
  serviceAccountId: string | null
  jwks: Record<string, unknown> | null
}): void {
  const violations: FieldViolation[] = []
  if (app.redirectUris.length === 0 && app.serviceAccountId === null) {
    const message = 'must have at least 1 item, unless the app has a service account'
    violations.push({ field: 'redirect_uris', message })
  }
  const message = 'must be absent for a public client app, which cannot keep a secret'
  if (app.type === 'public' && app.serviceAccountId !== null)
    violations.push({ field: 'service_account_id', message })
  if (app.type === 'public' && app.jwks !== null) violations.push({ field: 'jwks', message })
  if (violations.length > 0) throw invalidArgument(...violations)
}

async function requireAccountExists(accounts: ServiceAccountStore, id: string): Promise<void> {
  if (await accounts.exists(id)) return
  throw invalidArgument({ field: 'service_account_id', message: 'must be a service account' })
}

/** Without PKCE and without a secret, anyone who obtains a code could exchange it. */
function requirePkceOfPublicApp(app: { type: string; pkceRequired: boolean }): void {
  if (app.type === 'confidential' || app.pkceRequired) return
  throw invalidArgument({
    field: 'pkce_required',
    message: 'must be true for a public client app, because only a confidential one may omit PKCE',
  })
}

type ClientUrls = Pick<
  ClientAppCreateRequest,
  'redirect_uris' | 'post_logout_redirect_uris' | 'backchannel_logout_uri'
>

function requireUrls(
  request: ClientUrls,
  { debug, backchannelHosts }: Pick<ClientAppContext, 'debug' | 'backchannelHosts'>,
): void {
  const { redirect_uris, post_logout_redirect_uris, backchannel_logout_uri } = request
  const violations = [
    ...findUrlViolations('redirect_uris', redirect_uris, debug),
    ...findUrlViolations('post_logout_redirect_uris', post_logout_redirect_uris, debug),
  ]
  const message =
    backchannel_logout_uri &&
    // The host decides whether http is allowed.
    (findRedirectUriProblem(backchannel_logout_uri, true) ??
      backchannelHosts.findProblem(new URL(backchannel_logout_uri)))
  if (message) violations.push({ field: 'backchannel_logout_uri', message })
  if (violations.length > 0) throw invalidArgument(...violations)
}

function findUrlViolations(name: string, uris: string[], allowHttp: boolean): FieldViolation[] {
  return uris.flatMap((uri, index) => {
    const message = findRedirectUriProblem(uri, allowHttp)
    return message ? [{ field: `${name}[${index}]`, message }] : []
  })
}

/** A node of an older version would give an app access without asking. */
function requireConsentNodes({ rollout }: AppStores): Promise<void> {
  return rollout.requireAllNodesKnow(consentMigration, 'A client app that requires consent')
}

function readChanges(request: ClientAppUpdateRequest): ClientAppChanges {
  const { post_logout_redirect_uris, backchannel_logout_uri, workspace_id } = request
  const removedUris = request.remove_post_logout_redirect_uris ? [] : undefined
  return {
    name: request.name?.trim(),
    isActive: request.is_active,
    type: request.type,
    pkceRequired: request.pkce_required,
    popupSignIn: request.popup_sign_in,
    consentRequired: request.consent_required,
    workspaceId: workspace_id ?? (request.remove_workspace ? null : undefined),
    postLogoutRedirectUris:
      post_logout_redirect_uris.length > 0 ? sortUris(post_logout_redirect_uris) : removedUris,
    backchannelLogoutUri: backchannel_logout_uri === '' ? null : backchannel_logout_uri,
    serviceAccountId:
      request.service_account_id ?? (request.remove_service_account ? null : undefined),
    jwks: request.jwks ? readKeySet(request.jwks) : request.remove_jwks ? null : undefined,
  }
}

/**
 * Creates the first secret of an app that becomes confidential, or deletes the secrets of an app
 * that becomes public.
 */
async function changeType(
  clientApps: ClientAppStore,
  before: StoredClientApp,
  type: string | undefined,
): Promise<string | undefined> {
  if (type === undefined || type === before.type) return undefined
  if (type === 'confidential') return insertSecret(clientApps, before.id)
  await clientApps.deleteSecrets(before.id)
  return undefined
}

/** Stores the hash of a new secret and returns the secret. */
async function insertSecret(clientApps: ClientAppStore, id: string): Promise<string> {
  const secret = createClientSecret()
  const stored = { hash: hashClientSecret(secret), prefix: clientSecretPrefix(secret) }
  await clientApps.insertSecret(id, stored)
  return secret
}

/** Locks and returns a client app, so that concurrent changes run one after the other. */
async function requireClientApp(clientApps: ClientAppStore, id: string): Promise<StoredClientApp> {
  const app = await clientApps.lock(id)
  if (!app) throw new ServiceError(reasons.CLIENT_APP_NOT_FOUND)
  return app
}

/** The ETag does not depend on the secrets, which have their own method. */
function tagOf({
  id,
  createdAt: _at,
  createdBy: _by,
  secretPrefix: _prefix,
  ...settings
}: StoredClientApp) {
  return createEntityTag(id, settings)
}

function toResponse(app: StoredClientApp, secret?: string): ClientAppResponse {
  return {
    id: app.id,
    name: app.name,
    type: app.type,
    is_active: app.isActive,
    redirect_uris: app.redirectUris,
    post_logout_redirect_uris: app.postLogoutRedirectUris,
    pkce_required: app.pkceRequired,
    popup_sign_in: app.popupSignIn,
    consent_required: app.consentRequired,
    ...(app.createdBy && { created_by: app.createdBy }),
    ...(app.backchannelLogoutUri && { backchannel_logout_uri: app.backchannelLogoutUri }),
    ...(app.secretPrefix && { secret_prefix: app.secretPrefix }),
    ...(app.workspaceId && { workspace_id: app.workspaceId }),
    ...(app.serviceAccountId && { service_account_id: app.serviceAccountId }),
    ...(app.jwks && { jwks: app.jwks }),
    created_at: isoTime(app.createdAt),
    ...(secret !== undefined && { client_secret: secret }),
  }
}

function sortUris(uris: string[]): string[] {
  return [...new Set(uris)].toSorted()
}

/** Returns the settings whose changes `client_app.updated` reports. */
function describeSettings({
  isActive: _isActive,
  secretPrefix: _prefix,
  ...settings
}: StoredClientApp): string {
  return JSON.stringify(settings)
}

function settingsEvent(action: 'client_app.created' | 'client_app.updated', app: StoredClientApp) {
  return {
    action,
    targetId: app.id,
    detail: {
      name: app.name,
      type: app.type,
      pkce_required: String(app.pkceRequired),
      redirect_uris: app.redirectUris.join(' '),
      workspace: app.workspaceId ?? 'any',
      popup_sign_in: String(app.popupSignIn),
      consent_required: String(app.consentRequired),
      service_account: app.serviceAccountId ?? 'none',
      keys: String(((app.jwks?.keys as unknown[]) ?? []).length),
    },
  } as const
}
