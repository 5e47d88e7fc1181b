import { idOf, timeOf } from './binary-rows.ts'
import type { WriteRows } from './copy.ts'
import type { GrowthSize } from './shape.ts'
import * as shape from './shape.ts'

type Table = { table: string; columns: string[]; write: WriteRows }

const sealHash = '5d'.repeat(32)

/** Returns the large tables in the order of their most expensive indexes. */
export function tablesOf(size: GrowthSize): Table[] {
  const { resources, listed, people } = size
  const workspaces = shape.workspacesOf(size)
  const readers = shape.readersOf(size)
  const parts = Array.from({ length: workspaces + 1 }, (_, w) => shape.workspaceOf(size, w))
  const partOf = (w: number) => parts[w] ?? shape.workspaceOf(size, w)
  const given = shape.readersSharesOf(size)

  return [
    {
      table: 'members',
      columns: ['workspace_id', 'user_id', 'role', 'joined_at'],
      *write(rows) {
        const joinedAt = timeOf('user', 0)
        for (const [w, { members, firstMember }] of parts.entries()) {
          for (let n = 0; n < members; n += 1) {
            rows
              .begin(4)
              .id('workspace', w)
              .id('user', firstMember + n)
            yield void rows.text(roleOf(n, members)).time(joinedAt)
          }
        }
        for (let n = 0; n <= given.length; n += 1) {
          rows
            .begin(4)
            .id('workspace', readers)
            .id('user', people + n)
          yield void rows.text(n < given.length ? 'viewer' : 'owner').time(joinedAt)
        }
      },
    },
    {
      table: 'groups',
      columns: ['id', 'workspace_id', 'name'],
      *write(rows) {
        for (const [w, { groups, firstGroup }] of parts.entries()) {
          for (let n = 0; n < groups; n += 1) {
            rows
              .begin(3)
              .id('group', firstGroup + n)
              .id('workspace', w)
            yield void rows.text(`Group ${n}`)
          }
        }
      },
    },
    {
      table: 'group_members',
      columns: ['group_id', 'user_id', 'workspace_id'],
      *write(rows) {
        for (const [w, { members, firstMember, groups, firstGroup }] of parts.entries()) {
          for (let group = 0; group < groups; group += 1) {
            for (let n = 0; n < shape.membersOfGroup; n += 1) {
              const member = shape.groupMemberOf(group, n, members)
              rows.begin(3).id('group', firstGroup + group)
              yield void rows.id('user', firstMember + member).id('workspace', w)
            }
          }
        }
      },
    },
    {
      table: 'resources',
      columns: [
        'id',
        'kind_id',
        'resource_id',
        'workspace_id',
        'owner_id',
        'visibility',
        'created_at',
        'parent_id',
        'is_parent',
        'external_id',
      ],
      *write(rows) {
        for (let n = 0; n < resources; n += 1) {
          const { w, place } = shape.placeOf(n, workspaces)
          const { members, firstMember } = partOf(w)
          const kind = shape.kindOf(place)
          const parent = shape.parentOf(place)
          rows.begin(10).id('resource', n).int(kind).id('external', n).id('workspace', w)
          rows
            .id('user', firstMember + shape.ownerOf(place, members))
            .text(shape.visibilityOf(place))
          rows.time(timeOf('resource', n))
          if (parent < 0) rows.nothing()
          else rows.id('resource', shape.resourceAt(w, parent, workspaces))
          rows.bool(kind === 1)
          yield void (kind === 4 ? rows.text(`note-${n}`) : rows.nothing())
        }
        for (let n = resources; n < resources + listed; n += 1) {
          rows.begin(10).id('resource', n).int(2).id('external', n).id('workspace', readers)
          rows
            .id('user', people + given.length)
            .text('private')
            .time(timeOf('resource', n))
          yield void rows.nothing().bool(false).nothing()
        }
      },
    },
    {
      table: 'shares',
      columns: [
        'id',
        'kind_id',
        'resource_id',
        'workspace_id',
        'user_id',
        'group_id',
        'permission',
        'on_parent',
      ],
      // By kind and resource, like the largest index.
      *write(rows) {
        let share = 0
        const begin = (kind: number, n: number, w: number) =>
          rows.begin(8).id('share', share++).int(kind).id('external', n).id('workspace', w)
        for (let kind = 1; kind <= shape.types.length; kind += 1) {
          for (let n = 0; n < resources; n += 1) {
            const { w, place } = shape.placeOf(n, workspaces)
            if (shape.kindOf(place) !== kind) continue
            const { members, firstMember, groups, firstGroup } = partOf(w)
            const permission = n % 3 === 0 ? 'edit' : 'view'
            for (const group of shape.granteeGroupsOf(place, groups)) {
              begin(kind, n, w)
                .nothing()
                .id('group', firstGroup + group)
              yield void rows.text(permission).bool(kind === 1)
            }
            for (const member of shape.granteesOf(place, members)) {
              begin(kind, n, w)
                .id('user', firstMember + member)
                .nothing()
              yield void rows.text(permission).bool(kind === 1)
            }
          }
          if (kind !== 2) continue
          for (let place = 0; place < listed; place += 1) {
            for (const [reader, shares] of given.entries()) {
              if (place % Math.floor(listed / shares) > 0) continue
              begin(kind, resources + place, readers)
                .id('user', people + reader)
                .nothing()
              yield void rows.text('view').bool(false)
            }
          }
        }
        const folder = shape.resourceAt(0, 0, workspaces)
        const { members, firstMember } = partOf(0)
        begin(1, folder, 0).id('user', firstMember + members - 1 - shape.special.oneFolder)
        yield void rows.nothing().text('view').bool(true)
      },
    },
    {
      table: 'activity',
      columns: [
        'id',
        'action',
        'target_type',
        'target_id',
        'actor_id',
        'workspace_id',
        'detail',
        'created_at',
        'seal_seq',
        'seal_hash',
      ],
      *write(rows) {
        const entries = shape.entriesOf(size)
        for (let entry = 0; entry < entries; entry += 1) {
          const n = shape.targetOf(entry)
          const { w, place } = shape.placeOf(n, workspaces)
          const { members, firstMember } = partOf(w)
          const action = actions[entry % 1000 === 999 ? 2 : entry % 2] ?? ''
          rows
            .begin(10)
            .id('entry', entry)
            .text(action)
            .text(action.split('.')[0] ?? '')
          rows.id('external', n).id('user', firstMember + shape.ownerOf(place, members))
          rows.id('workspace', w).json('{"permission": "view"}').time(timeOf('entry', entry))
          yield void rows.bigint(entry + 1).text(sealHash)
        }
      },
    },
  ]
}

/** The last is rare. */
const actions = ['permission.shared', 'permission.registered', 'permission.visibility_changed']

/** Owners, admins and editors are rare, and the members without shares are viewers. */
function roleOf(n: number, members: number): string {
  if (n === 0) return 'owner'
  if (n === 1) return 'admin'
  return n % 5 === 0 && n < members - shape.special.count ? 'editor' : 'viewer'
}

/** Returns the statements that create the small tables, before the large ones. */
export function smallTablesSql({ people, ...size }: GrowthSize): string[] {
  const readers = shape.readersOf({ people, ...size })
  const id = (kind: Parameters<typeof idOf>[0], n: string) => {
    const [first = ''] = idOf(kind, 0).match(/^.{8}-.{4}/) ?? []
    const code = idOf(kind, 0).slice(-4)
    const time = BigInt(`0x${first.replace('-', '')}`)
    const hex = `lpad(to_hex(${time} + (${n})), 12, '0')`
    return `(${hex} || '70008000' || lpad(to_hex(${n}), 8, '0') || '${code}')::uuid`
  }
  return [
    `insert into users (id, email, name)
     select ${id('user', 'n')}, 'person' || n || '@example.com', 'Person ' || n
     from generate_series(0, ${people + 3}) n`,
    `insert into workspaces (id, name, slug)
     select ${id('workspace', 'n')}, 'Workspace ' || n, 'workspace-' || n
     from generate_series(0, ${readers}) n`,
    'insert into workspace_ids select id from workspaces on conflict do nothing',
    ...shape.types.map(
      (type) =>
        `insert into resource_kinds (service_name, resource_type) values ('docs', '${type}')`,
    ),
    `insert into service_apps (id, name, service_name) values (gen_random_uuid(), 'docs', 'docs')`,
  ]
}

/** Returns the statements that count the rows, which triggers would do one by one. */
export function countersSql(size: GrowthSize): string[] {
  const tables = ['members', 'groups', 'resources']
  return [
    ...tables.map(
      (table) => `insert into workspace_counts (workspace_id, counted, count)
        select workspace_id, '${table}', count(*) from ${table} group by workspace_id`,
    ),
    `update activity_chain set last_seq = ${shape.entriesOf(size)}, last_hash = '${sealHash}'`,
  ]
}
