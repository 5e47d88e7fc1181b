import type { ActivityEntry } from '../../gen/daikon/v1/admin_records.ts'
import type { EventTable } from '../activity/events.ts'
import type { Concerned, Detail } from '../activity/feed/concerned.ts'
import type { FeedEntry } from '../activity/store/feed-store.ts'
import type { RelationStore } from './store/relation-store.ts'
import { type Relations, relatedIdOf, type Viewer, type WatchingUser } from './visibility.ts'

/** Finds the workspaces and users of the entries with which the services among the viewers have to do. */
export async function findRelated(
  store: RelationStore,
  entries: FeedEntry[],
  viewers: Viewer[],
): Promise<Relations['isRelated']> {
  const services = new Set(viewers.flatMap((viewer) => ('name' in viewer ? [viewer.name] : [])))
  const workspaces = new Set<string>()
  const users = new Set<string>()
  for (const { entry } of services.size > 0 ? entries : []) {
    const id = relatedIdOf(entry)
    if (id !== undefined) (entry.action.startsWith('user.') ? users : workspaces).add(id)
  }
  const found =
    workspaces.size + users.size === 0
      ? []
      : await store.findRelations([...services], [...workspaces], [...users])
  const related = new Set(found.map(({ service, id }) => `${service}\n${id}`))
  return (service, id) => related.has(`${service}\n${id}`)
}

/** Finds the users among the viewers whose permissions each entry may have changed. */
export async function findConcernedUsers(
  store: RelationStore,
  events: EventTable,
  entries: FeedEntry[],
  viewers: Viewer[],
): Promise<Relations['concerns']> {
  const users = viewers.filter((viewer): viewer is WatchingUser => viewer.kind === 'user')
  if (users.length === 0) return () => false
  const workspaces = new Set(users.map(({ workspaceId }) => workspaceId))
  const isWatched = (id: string | undefined) => id === undefined || workspaces.has(id)
  const watched = entries.filter(({ entry }) => isWatched(entry.workspace_id))
  const concerned = new Map(watched.map(({ entry }) => [entry, findConcerned(events, entry)]))
  const named = [...concerned.values()].flat()
  const idsOf = (kind: Concerned['kind']) => [
    ...new Set(named.flatMap((one) => ('id' in one && one.kind === kind ? [one.id] : []))),
  ]
  const groups = idsOf('group')
  const roles = idsOf('role')
  const types = idsOf('conditions')
  const managed = named.some(({ kind }) => kind === 'managers') ? [...workspaces] : []
  const found =
    groups.length + roles.length + types.length + managed.length === 0
      ? []
      : await store.findConcerned(
          users.map(({ id }) => id),
          { groups, roles, workspaces: managed, types },
        )
  const reached = new Set(found.map(({ kind, id, userId }) => `${kind}\n${id}\n${userId ?? ''}`))

  function reaches(one: Concerned, user: WatchingUser): boolean {
    if (one.kind === 'everyone') return true
    if (one.kind === 'managers') return reached.has(`managers\n${user.workspaceId}\n${user.id}`)
    if (one.kind === 'user') return one.id === user.id
    return reached.has(`${one.kind}\n${one.id}\n${one.kind === 'conditions' ? '' : user.id}`)
  }

  return (entry, user) =>
    (entry.workspace_id === undefined || entry.workspace_id === user.workspaceId) &&
    (concerned.get(entry)?.some((one) => reaches(one, user)) ?? false)
}

/**
 * Returns the users whose permissions an event may have changed: users of its workspace, or of any
 * workspace if the event belongs to none.
 */
function findConcerned(events: EventTable, entry: ActivityEntry): Concerned[] {
  return events[entry.action]?.concerns?.(entry, (entry.detail ?? {}) as Detail) ?? []
}
