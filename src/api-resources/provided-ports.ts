import type { ActivityStore } from '../activity/store/activity-store.ts'
import type { ServiceAppResources } from '../admin/ports.ts'
import type { RolloutStore } from '../database/rollout-store.ts'
import type { TokenResource, TokenResources } from '../identity/ports.ts'
import type { SessionStore } from '../identity/store/session-store.ts'
import { replaceResources } from './replace-resources.ts'
import { toCanonicalUri } from './resource-uri.ts'
import type { ApiResourceStore, OwnedResource } from './store/api-resource-store.ts'

type ResourceStores = {
  activity: ActivityStore
  apiResources: ApiResourceStore
  rollout: RolloutStore
  sessions: SessionStore
}

/** What API resources tell the features below. */
export const apiResourcePorts = {
  tokenResources: ({ apiResources }: Pick<ResourceStores, 'apiResources'>): TokenResources => ({
    find: async (id) => toTokenResource(await apiResources.find(id)),
    findByUri: async (uri) => toTokenResource(await apiResources.findByUri(toCanonicalUri(uri))),
  }),
  serviceAppResources: (tx: ResourceStores): ServiceAppResources => ({
    async list(appIds) {
      const resources = await tx.apiResources.list(appIds)
      const byApp = Map.groupBy(resources, ({ appId }) => appId)
      return (appId) =>
        (byApp.get(appId) ?? []).map(({ uri, name, scopes }) => ({ uri, name, scopes }))
    },
    replace: (context, app, resources) => replaceResources(tx, context, app, resources),
  }),
}

function toTokenResource(resource: OwnedResource | undefined): TokenResource | undefined {
  if (!resource) return undefined
  const { id, uri, name, service, isActive, scopes } = resource
  return {
    ...{ id, uri, name, service, isActive },
    scopes: scopes.map(({ name }) => name),
    scopeDescriptions: new Map(scopes.map(({ name, description }) => [name, description])),
  }
}
