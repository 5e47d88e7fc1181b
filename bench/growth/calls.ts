import { writePageToken } from '../../src/permissions/engine/page-token.ts'
import type { Outcome, PresentedCredentials } from '../../test/support/transports.ts'
import { serviceKey } from '../data-set.ts'
import { type IdKind, idOf, timeOf } from './binary-rows.ts'
import type { GrowthSize } from './shape.ts'
import * as shape from './shape.ts'

type Message = Extract<Outcome, { ok: true }>['message']

/** The nth call of a row. `expect` says whether a response is the expected one. */
export type GrowthCall = {
  method: string
  message: object
  credentials: PresentedCredentials
  expect?: (response: Message) => boolean
}

export type Row = {
  label: string
  /** Explains what the row reads more of when the data grows, which it then may. */
  grows?: string
  call: (n: number) => GrowthCall
  /** A call after each, not measured, that takes the change back. */
  undo?: (n: number) => GrowthCall
}

export type CallContext = {
  size: GrowthSize
  /** Returns an access token of a person in a workspace. */
  token: (person: number, workspace: number) => string
  adminToken: string
}

const service = 'docs'
const limit = 20
const ordinary = 1

/** Returns the measured calls, in order. Later ones change what earlier ones read. */
export function rowsOf({ size, token, adminToken }: CallContext): Row[] {
  const workspaces = shape.workspacesOf(size)
  const readers = shape.readersOf(size)
  const home = shape.workspaceOf(size, ordinary)
  const large = shape.workspaceOf(size, 0)
  const external = (w: number, place: number) =>
    idOf('external', shape.resourceAt(w, place, workspaces))
  const internal = (w: number, place: number) =>
    idOf('resource', shape.resourceAt(w, place, workspaces))
  const typeAt = (place: number) => shape.types[shape.kindOf(place) - 1] ?? ''
  const at = (w: number, place: number) => ({
    service_name: service,
    resource_type: typeAt(place),
    resource_id: external(w, place),
  })
  const person = (member: number) => home.firstMember + member
  const by = (someone: number, workspace = ordinary) => ({
    token: token(someone, workspace),
    key: serviceKey,
  })

  // Sheets without parents, by places: those of viewers who are neither owner nor in the group.
  const places = Array.from({ length: 90 }, (_, n) => n * 10 + 7)
  const privatePlaces = places.filter((place) => shape.visibilityOf(place) === 'private')
  const inGroups = (member: number, place: number) =>
    shape
      .granteeGroupsOf(place, home.groups)
      .some((group) =>
        Array.from({ length: shape.membersOfGroup }, (_, n) => n).some(
          (n) => shape.groupMemberOf(group, n, home.members) === member,
        ),
      )
  const isViewer = (member: number) => member > 1 && member % 5 > 0
  const shared = places.flatMap((place) => {
    const member = shape
      .granteesOf(place, home.members)
      .find((member) => isViewer(member) && !inGroups(member, place))
    return member === undefined || member === shape.ownerOf(place, home.members)
      ? []
      : [{ place, member }]
  })
  const sharedByGroup = places.flatMap((place) => {
    const [group = 0] = shape.granteeGroupsOf(place, home.groups)
    const direct = shape.granteesOf(place, home.members)
    const member = Array.from({ length: shape.membersOfGroup }, (_, n) =>
      shape.groupMemberOf(group, n, home.members),
    ).find((member) => isViewer(member) && !direct.includes(member))
    return member === undefined || member === shape.ownerOf(place, home.members)
      ? []
      : [{ place, member }]
  })
  const denied = home.members - 1 - shape.special.denied
  const one = large.firstMember + large.members - 1 - shape.special.oneFolder
  const pick = <T>(list: T[], n: number) => list[n % list.length] as T

  const check = (w: number, place: number, someone: number, allowed = true): GrowthCall => ({
    method: 'Check',
    message: { checks: [{ ...at(w, place), action: 'view' }] },
    credentials: by(someone, w),
    expect: ({ results }) => results[0].allowed === allowed,
  })
  const list = (someone: number, workspace: number, more: object = {}): GrowthCall => ({
    method: 'Accessible',
    message: {
      service_name: service,
      resource_type: 'document',
      action: 'view',
      workspace_id: idOf('workspace', workspace),
      limit,
      ...more,
    },
    credentials: by(someone, workspace),
    expect: ({ resource_ids }) => resource_ids.length > 0 && resource_ids.length <= limit,
  })
  const late = (reader: number) => {
    const step = Math.floor(size.listed / (shape.readersSharesOf(size)[reader] ?? 1))
    const place = Math.floor((size.listed * 0.9) / step) * step
    return { page_token: writePageToken(idOf('external', size.resources + place)) }
  }
  const search = (someone: number, workspace: number): GrowthCall => ({
    method: 'SearchResources',
    message: {
      subject: { type: 'user', id: idOf('user', someone) },
      action: { name: 'view' },
      resource: { type: 'document' },
      context: { workspace_id: idOf('workspace', workspace) },
      page: { limit },
    },
    credentials: { key: serviceKey },
    expect: ({ results }) => results.length > 0,
  })
  const subjects = (w: number, place: number): GrowthCall => ({
    method: 'SearchSubjects',
    message: {
      subject: { type: 'user' },
      action: { name: 'view' },
      resource: { type: typeAt(place), id: external(w, place) },
      page: { limit },
    },
    credentials: { key: serviceKey },
    expect: ({ results }) => results.length > 0,
  })
  const owner = (place: number) => by(person(shape.ownerOf(place, home.members)))
  const share = (method: string, n: number): GrowthCall => {
    const { place } = pick(shared, n)
    return {
      method,
      message: {
        ...at(ordinary, place),
        grantee_type: 'user',
        grantee_id: idOf('user', person(denied)),
        permission: 'view',
      },
      credentials: owner(place),
    }
  }
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
      label: 'check, by a share',
      call: (n) => {
        const { place, member } = pick(shared, n)
        return check(ordinary, place, person(member))
      },
    },
    {
      label: 'check, by a group',
      call: (n) => {
        const { place, member } = pick(sharedByGroup, n)
        return check(ordinary, place, person(member))
      },
    },
    {
      label: 'check, denied',
      call: (n) => check(ordinary, pick(privatePlaces, n), person(denied), false),
    },
    {
      label: 'check, by the highest of five ancestors',
      call: (n) => check(0, 41 + (n % 6), one),
    },
    {
      label: 'check of 50',
      call: () => ({
        method: 'Check',
        message: {
          checks: Array.from({ length: 50 }, (_, n) => ({
            ...at(ordinary, n * 17),
            action: 'view',
          })),
        },
        credentials: by(person(12)),
        expect: ({ results }) => results.length === 50,
      }),
    },
    ...shape.readersSharesOf(size).flatMap((shares, reader): Row[] => [
      {
        label: `list of ${shares.toLocaleString('en')}, first page`,
        call: () => list(size.people + reader, readers),
      },
      {
        label: `list of ${shares.toLocaleString('en')}, late page`,
        call: () => list(size.people + reader, readers, late(reader)),
      },
    ]),
    { label: 'list, ordinary member', call: () => list(person(12), ordinary) },
    {
      label: 'list, ordinary member of the 5 % workspace',
      grows: 'folders that the member can reach',
      call: () => list(large.firstMember + 12, 0),
    },
    {
      label: 'list, one share in the 5 % workspace',
      grows: 'folders that the workspace can see',
      call: () => list(one, 0),
    },
    { label: 'SearchResources, ordinary member', call: () => search(person(12), ordinary) },
    {
      label: 'SearchResources, ordinary member of the 5 % workspace',
      grows: 'folders that the member can reach',
      call: () => search(large.firstMember + 12, 0),
    },
    {
      label: 'SearchResources, one share in the 5 % workspace',
      grows: 'folders that the workspace can see',
      call: () => search(one, 0),
    },
    { label: 'SearchSubjects', call: (n) => subjects(ordinary, pick(places, n)) },
    {
      label: 'SearchSubjects, in the 5 % workspace',
      call: (n) => subjects(0, pick(places, n)),
    },
    {
      label: 'share',
      call: (n) => share('Share', n),
      undo: (n) => share('RevokeShare', n),
    },
    {
      label: 'revoke',
      call: (n) => {
        const { place, member } = pick(shared, n)
        return {
          method: 'RevokeShare',
          message: {
            ...at(ordinary, place),
            grantee_type: 'user',
            grantee_id: id('user', person(member)),
          },
          credentials: owner(place),
        }
      },
      undo: (n) => {
        const { place, member } = pick(shared, n)
        return {
          method: 'Share',
          message: {
            ...at(ordinary, place),
            grantee_type: 'user',
            grantee_id: id('user', person(member)),
            permission: shape.resourceAt(ordinary, place, workspaces) % 3 === 0 ? 'edit' : 'view',
          },
          credentials: owner(place),
        }
      },
    },
    {
      label: 'register',
      call: (n) => ({
        method: 'Register',
        message: {
          service_name: service,
          resource_type: 'note',
          resource_id: id('entry', 2_000_000_000 + n),
          workspace_id: home1,
          owner_id: id('user', person(12)),
        },
        credentials: by(person(12)),
      }),
      undo: (n) => ({
        method: 'Unregister',
        message: {
          service_name: service,
          resource_type: 'note',
          resource_id: id('entry', 2_000_000_000 + n),
        },
        credentials: by(person(12)),
      }),
    },
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
    ...['private', 'workspace', 'public'].map((visibility) =>
      resourcesRow(`of visibility ${visibility}`, { visibility }),
    ),
    resourcesRow('of a workspace', { workspace_id: home1 }),
    resourcesRow('of the 5 % workspace', { workspace_id: idOf('workspace', 0) }),
    resourcesRow('of a workspace, type and visibility', {
      workspace_id: idOf('workspace', 0),
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
