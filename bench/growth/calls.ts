import { writePageToken } from '../../src/permissions/engine/lists/page-token.ts'
import type { Outcome, PresentedCredentials } from '../../test/support/transports.ts'
import { serviceKey } from '../data-set.ts'
import { idOf } from './binary-rows.ts'
import { pick, placesOf } from './places.ts'
import type { GrowthSize } from './shape.ts'
import * as shape from './shape.ts'

export type Message = Extract<Outcome, { ok: true }>['message']

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
}

const service = 'docs'
const limit = 20
const ordinary = 1

/** Returns the measured calls, in order. Later ones change what earlier ones read. */
export function rowsOf({ size, token }: CallContext): Row[] {
  const {
    at,
    workspaces,
    readers,
    home,
    large,
    external,
    typeAt,
    person,
    places,
    privatePlaces,
    shared,
    sharedByGroup,
    denied,
    one,
  } = placesOf(size)
  const by = (someone: number, workspace = ordinary) => ({
    token: token(someone, workspace),
    key: serviceKey,
  })

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
  const home1 = idOf('workspace', ordinary)
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
      call: () => list(large.firstMember + 12, 0),
    },
    {
      label: 'list, one share in the 5 % workspace',
      call: () => list(one, 0),
    },
    { label: 'SearchResources, ordinary member', call: () => search(person(12), ordinary) },
    {
      label: 'SearchResources, ordinary member of the 5 % workspace',
      call: () => search(large.firstMember + 12, 0),
    },
    {
      label: 'SearchResources, one share in the 5 % workspace',
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
            grantee_id: idOf('user', person(member)),
            permission: 'view',
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
            grantee_id: idOf('user', person(member)),
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
          resource_id: idOf('entry', 2_000_000_000 + n),
          workspace_id: home1,
          owner_id: idOf('user', person(12)),
        },
        credentials: by(person(12)),
      }),
      undo: (n) => ({
        method: 'Unregister',
        message: {
          service_name: service,
          resource_type: 'note',
          resource_id: idOf('entry', 2_000_000_000 + n),
        },
        credentials: by(person(12)),
      }),
    },
  ]
}
