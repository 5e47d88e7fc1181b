import type { ActivityEntry } from '../../gen/daikon/v1/admin_records.ts'
import { listedServices } from '../activity/listed-services.ts'

/** Who reads the feed. */
export type Viewer =
  | { kind: 'administrator' }
  | { kind: 'service'; name: string }
  /** A service in development mode, which may use any service name. */
  | { kind: 'development' }
  /** A user who learns that their permissions may have changed, and sees no entry. */
  | { kind: 'user'; id: string; workspaceId: string }

/** What the entries of a batch have to do with services and users. */
export type Relations = {
  /** Returns the entry as the viewer may see it: the same object for all who may see the same. */
  view(entry: ActivityEntry, viewer: Viewer): ActivityEntry | undefined
  /** Whether the service has resources in the workspace, or in a workspace of the user. */
  isRelated(service: string, workspaceOrUserId: string): boolean
  /** Whether an entry may have changed the permissions of the user in their workspace. */
  concerns(entry: ActivityEntry, user: WatchingUser): boolean
}

export type WatchingUser = Extract<Viewer, { kind: 'user' }>

/** The types of targets that belong to a service. */
const serviceTargets = ['permission', 'resource_type', 'service_action', 'service_routes', 'link']

const workspaceEvents = /^(member|group|role|workspace)\./
const userEvents = ['user.activated', 'user.deactivated', 'user.erased']
const hiddenInDevelopment = /^(service_app|management_app|api_key)\./

/**
 * Returns the ID of the workspace or user that decides whether services with resources there see an
 * entry, or undefined if that is not how they are judged.
 */
export function relatedIdOf(entry: ActivityEntry): string | undefined {
  if (workspaceEvents.test(entry.action)) return entry.workspace_id
  return userEvents.includes(entry.action) ? entry.target_id : undefined
}

/** Creates the views of the entries of a batch. An entry is undefined for those who may not see it. */
export function createViews(isRelated: Relations['isRelated']): Relations['view'] {
  const views = new Map<ActivityEntry, Map<string, ActivityEntry | undefined>>()
  return (entry, viewer) => {
    const key = viewer.kind === 'service' ? `service ${viewer.name}` : viewer.kind
    const viewsOfEntry = views.get(entry) ?? new Map<string, ActivityEntry | undefined>()
    views.set(entry, viewsOfEntry)
    if (!viewsOfEntry.has(key)) viewsOfEntry.set(key, viewEntry(entry, viewer, isRelated))
    return viewsOfEntry.get(key)
  }
}

function viewEntry(
  entry: ActivityEntry,
  viewer: Viewer,
  isRelated: Relations['isRelated'],
): ActivityEntry | undefined {
  if (viewer.kind === 'administrator') return entry
  if (viewer.kind === 'user') return undefined
  if (viewer.kind === 'development')
    return hiddenInDevelopment.test(entry.action) ? undefined : withoutAddress(entry)
  if (isOfService(entry, viewer.name)) return withoutAddress(entry)
  const id = relatedIdOf(entry)
  const isRelatedTo = id !== undefined && isRelated(viewer.name, id)
  if (!isRelatedTo && !listedServices(entry.detail?.services).includes(viewer.name))
    return undefined
  return withoutOtherServices(withoutAddress(entry), viewer.name)
}

function isOfService({ target_type, detail }: ActivityEntry, name: string): boolean {
  return serviceTargets.includes(target_type) && detail?.service_name === name
}

function withoutAddress({ ip: _ip, ...entry }: ActivityEntry): ActivityEntry {
  return entry
}

function withoutOtherServices(entry: ActivityEntry, name: string): ActivityEntry {
  if (entry.detail?.services === undefined) return entry
  return { ...entry, detail: { ...entry.detail, services: name } }
}
