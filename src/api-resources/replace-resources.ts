import type { ApiResource } from '../../gen/daikon/v1/admin_apps.ts'
import { actorOf } from '../activity/actor.ts'
import { describeListChange } from '../activity/list-change.ts'
import type { ActivityStore } from '../activity/store/activity-store.ts'
import type { ResourcesContext, ResourcesOwner } from '../admin/ports.ts'
import { invalidArgument, ServiceError } from '../core/errors.ts'
import type { RolloutStore } from '../database/rollout-store.ts'
import type { SessionStore } from '../identity/store/session-store.ts'
import { findResourceViolations } from './find-resource-violations.ts'
import { reasons } from './reasons.ts'
import { toCanonicalUri } from './resource-uri.ts'
import type { ApiResourceStore } from './store/api-resource-store.ts'

type Stores = {
  activity: ActivityStore
  apiResources: ApiResourceStore
  rollout: RolloutStore
  sessions: SessionStore
}

/** The migration whose nodes limit tokens to APIs. */
const resourceMigration = 100

/**
 * Replaces the API resources of a service app, and ends the sessions and access tokens of those that it
 * loses. One that stays, by its URI, keeps them.
 *
 * @throws ServiceError `invalid_argument` with all violations, or `already_exists`
 */
export async function replaceResources(
  tx: Stores,
  { principal, now, debug }: ResourcesContext,
  app: ResourcesOwner,
  requested: ApiResource[],
): Promise<void> {
  const violations = findResourceViolations(requested, { allowHttp: debug })
  if (violations.length > 0) throw invalidArgument(...violations)
  const resources = requested.map(({ uri, ...rest }) => ({ uri: toCanonicalUri(uri), ...rest }))
  if (resources.length > 0)
    await tx.rollout.requireAllNodesKnow(resourceMigration, 'An API resource')
  // Waits for concurrent sign-ins for these resources, whose sessions then end below.
  const before = await tx.apiResources.lock(app.id)
  const kept = new Set(resources.map(({ uri }) => uri))
  for (const { id, uri } of before)
    if (!kept.has(uri)) await tx.sessions.end({ resourceId: id }, now)
  const taken = await tx.apiResources.replace(app.id, resources)
  if (taken !== undefined) {
    const detail = `Another service app has an API resource with the URI ${taken}`
    throw new ServiceError(reasons.API_RESOURCE_EXISTS, detail)
  }
  const change = describeListChange(before.map(describe), resources.map(describe))
  if (change.added === 'none' && change.removed === 'none') return
  const { name, serviceName: service_name } = app
  await tx.activity.record(actorOf(principal), {
    action: 'service_app.resources_changed',
    targetId: app.id,
    detail: { name, service_name, resources: String(resources.length), ...change },
  })
}

function describe({ uri, name, scopes }: ApiResource): string {
  return [`${uri} (${name}):`, ...scopes.map((scope) => scope.name)].join(' ')
}
