import { type IdKind, idOf, timeOf } from './binary-rows.ts'
import type { GrowthCall, Message, Row } from './calls.ts'
import { pick, placesOf } from './places.ts'
import type { GrowthSize } from './shape.ts'
import * as shape from './shape.ts'

const service = 'docs'
const limit = 20
const ordinary = 1

/** Returns the measured calls of an administrator. */
export function administrationRowsOf(size: GrowthSize, adminToken: string): Row[] {
  const { workspaces, home, external, internal, person, places, shared } = placesOf(size)
  const admin = (
    method: string,
    message: object = {},
    expect?: (response: Message) => boolean,
  ): GrowthCall => ({
    method: `AdminService/${method}`,
    message,
    credentials: { admin: adminToken },
    ...(expect && { expect }),
  })
  const hasItems = ({ items }: Message) => items.length > 0
  const resourcesRow = (label: string, filter: object, expect = hasItems): Row => ({
    label: `administration: resources, ${label}`,
    call: () => admin('ListPermissions', { page_size: limit, ...filter }, expect),
  })
  const activityRow = (label: string, filter: object): Row => ({
    label: `administration: activity, ${label}`,
    call: () => admin('ListActivity', filter, hasItems),
  })
  const entries = shape.entriesOf(size)
  const entryTime = (n: number) => new Date(timeOf('entry', n))
  const home1 = idOf('workspace', ordinary)
  const id = (kind: IdKind, n: number) => idOf(kind, n)
  // A resource of workspace 1 that an entry is about.
  const logged =
    Array.from({ length: 900 }, (_, place) => place).find((place) => {
      const n = shape.resourceAt(ordinary, place, workspaces)
      const first = Math.floor(n / 10) * 3
      return [first, first + 1, first + 2].some((entry) => shape.targetOf(entry) === n)
    }) ?? 0
  const page = (part: number, items: number) => Math.max(1, Math.floor((items * part) / limit))

  return [
    {
      label: 'explain',
      call: (n) => {
        const { place, member } = pick(shared, n)
        const message = { permission_id: internal(ordinary, place), action: 'view' }
        return admin(
          'ExplainPermission',
          { ...message, user_id: id('user', person(member)) },
          ({ decision }) => decision,
        )
      },
    },
    {
      label: 'administration: subjects of a resource',
      call: (n) =>
        admin('ListPermissionSubjects', {
          permission_id: internal(ordinary, pick(places, n)),
          page_size: limit,
        }),
    },
    resourcesRow('first page', {}),
    resourcesRow('late page', { page: page(1, 10_000) }),
    resourcesRow('of a type', { service_name: service, resource_type: 'note' }),
    resourcesRow('of a service', { service_name: service }),
    resourcesRow('of visibility private', { visibility: 'private' }),
    ...['workspace', 'public'].map((visibility) => ({
      ...resourcesRow(`of visibility ${visibility}`, { visibility }),
      grows: 'matches, up to 10,000',
    })),
    resourcesRow('of a workspace', { workspace_id: home1 }),
    {
      ...resourcesRow('of the 5 % workspace', { workspace_id: idOf('workspace', 0) }),
      grows: 'resources, up to 10,000',
    },
    resourcesRow('of a workspace, type and visibility', {
      workspace_id: home1,
      service_name: service,
      resource_type: 'document',
      visibility: 'private',
    }),
    resourcesRow('of an owner', { owner_id: id('user', person(12)) }),
    resourcesRow('shared with a person', { grantee_id: id('user', person(12)) }),
    resourcesRow('with an ID', { resource_id: external(ordinary, 7) }),
    resourcesRow('search', { q: `note-${shape.resourceAt(ordinary, 9, workspaces)}` }),
    {
      ...resourcesRow('search for all', { q: 'note' }),
      grows: 'matches, up to 10,000',
    },
    resourcesRow('search without a match', { q: 'nothing' }, ({ items }) => items.length === 0),
    {
      label: 'administration: users',
      call: () => admin('ListUsers', { page_size: limit }, hasItems),
    },
    {
      label: 'administration: users, search',
      call: () => admin('ListUsers', { page_size: limit, q: 'person 17' }, hasItems),
    },
    {
      label: 'administration: user',
      call: () => admin('GetUser', { user_id: id('user', person(12)) }),
    },
    {
      label: 'administration: workspaces',
      grows: 'workspaces',
      call: () => admin('ListWorkspaces', { page_size: limit }, hasItems),
    },
    {
      label: 'administration: workspaces, search',
      grows: 'workspaces',
      call: () => admin('ListWorkspaces', { page_size: limit, q: 'workspace 1' }, hasItems),
    },
    {
      label: 'administration: workspace',
      call: () => admin('GetWorkspace', { workspace_id: idOf('workspace', 0) }),
    },
    {
      label: 'administration: groups of a workspace',
      call: () => admin('ListGroups', { workspace_id: home1 }),
    },
    {
      label: 'administration: names',
      call: () => admin('SearchNames', { q: 'person 17' }),
    },
    activityRow('newest', {}),
    activityRow('from the middle on', { before: id('entry', Math.floor(entries / 2)) }),
    activityRow('by target', { target_id: external(ordinary, logged) }),
    activityRow('since and until', {
      since: entryTime(Math.floor(entries / 2)),
      until: entryTime(Math.floor(entries / 2) + 300),
    }),
    activityRow('by actor', { actor_id: id('user', person(shape.ownerOf(logged, home.members))) }),
    activityRow('by action', { action: 'permission.shared' }),
    {
      ...activityRow('by a rare action', { action: 'permission.visibility_changed' }),
      grows: 'entries, up to 50',
    },
    activityRow('by workspace', { workspace_id: home1 }),
    activityRow('by type of target', { target_type: 'permission' }),
    { label: 'administration: statistics', grows: 'workspaces', call: () => admin('GetStats') },
    {
      label: 'export of a person',
      call: () => admin('ExportUser', { user_id: id('user', person(12)) }),
    },
  ]
}
