import { describeQuota, type QuotaName, type Quotas } from '../core/quotas.ts'
import type { Role } from '../core/roles.ts'
import { isSlug } from '../core/slug.ts'
import type { Standing } from '../workspaces/guests.ts'

/** A problem with a column, or with the whole row if `field` is empty. */
export type CellError = { field: string; message: string }

/** A row of the file, which describes the membership that a user should have in a workspace. */
export type Row = {
  line: number
  email: string
  /** Empty leaves the name unchanged. */
  name: string
  slug: string
  /** Empty means viewer for a new member, and leaves the role of an existing member unchanged. */
  role: Role | ''
  groups: string[]
  /** Empty leaves the external ID unchanged. */
  externalId: string
  /** Empty leaves it unchanged whether an existing member is a guest. */
  guest: 'true' | 'false' | ''
  errors: CellError[]
}

/** The existing objects that the rows refer to. */
export type Snapshot = {
  /** The number of active owners who have joined, by slug. */
  workspaces: Map<string, number>
  /** By slug. A missing entry means zero. */
  usage: Map<string, Usage>
  /** Names by e-mail address. */
  users: Map<string, string>
  /** The `external_id` of each user by e-mail address; empty if the user has none. */
  externalIds: Map<string, string>
  /** E-mail addresses of users by the external ID that already identifies them. */
  identifiedUsers: Map<string, string>
  /** By `keyOf(slug, email)`. Inactive users do not count as joined. */
  members: Map<string, Standing & { joined: boolean; isSupport: boolean }>
  /** The e-mail addresses of the direct members, by `keyOf(slug, group)`. */
  groups: Map<string, Set<string>>
}

/** The number of rows in a workspace for each quota. */
export type Usage = { members: number; invitations: number; groups: number }

export type Change = { field: string; from: string; to: string }

/** The action that the import takes for a row. */
export type PlannedRow = {
  line: number
  email: string
  action: 'create' | 'update' | 'unchanged' | 'error'
  changes: Change[]
  errors: CellError[]
}

/** The combined writes of all rows. Each write is listed once, even if several rows cause it. */
export type Effects = {
  /** Names by e-mail address. */
  newUsers: Map<string, string>
  /** Name changes by e-mail address. */
  renamed: Map<string, Change>
  /** Changes to `external_id` by e-mail address. */
  externalIds: Map<string, Change>
  /** By `keyOf(slug, email)`. */
  newMembers: Map<string, Standing & { slug: string; email: string }>
  /** By `keyOf(slug, email)`. */
  roleChanges: Map<string, { slug: string; email: string; from: Standing; to: Standing }>
  /** Slugs. */
  newWorkspaces: string[]
  newGroups: { slug: string; name: string }[]
  /** By `keyOf(slug, group)`. */
  newGroupMembers: Map<string, { slug: string; name: string; emails: string[] }>
}

/** The maximum number of rows of each action that a plan keeps. All rows are counted. */
export const maxRowsPerAction = 1000

export type Plan = {
  rows: PlannedRow[]
  counts: Record<PlannedRow['action'], number>
  /** Valid only if no row has an error. */
  effects: Effects
}

/** Plans rows one at a time. */
export type Planner = { add(row: Row): void; finish(): Plan }

/** Joins a slug with an e-mail address or a name into a key. Slugs contain no spaces. */
export function keyOf(slug: string, word: string): string {
  return `${slug} ${word}`
}

/**
 * Creates a planner. It updates `snapshot` as it goes, because each row is planned on top of the
 * previous rows. It creates workspaces with `ownedSlugs`, the slugs of the rows that make an owner;
 * none if that is undefined.
 */
export function createPlanner(
  snapshot: Snapshot,
  quotas: Quotas,
  { ownedSlugs }: { ownedSlugs?: Set<string> | undefined } = {},
): Planner {
  const { workspaces, usage, users, externalIds, identifiedUsers, members, groups } = snapshot
  const effects: Effects = {
    newUsers: new Map(),
    renamed: new Map(),
    externalIds: new Map(),
    newMembers: new Map(),
    roleChanges: new Map(),
    newWorkspaces: [],
    newGroups: [],
    newGroupMembers: new Map(),
  }
  // The first value of each name and role, to detect rows that contradict each other.
  const firstNames = new Map<string, CellValue>()
  const firstRoles = new Map<string, CellValue>()
  const firstGuests = new Map<string, CellValue>()
  const firstExternalIds = new Map<string, CellValue>()
  const firstUsers = new Map<string, CellValue>()
  const demotionsBySlug = new Map<string, PlannedRow[]>()

  const rows: PlannedRow[] = []
  const counts = { create: 0, update: 0, unchanged: 0, error: 0 }
  return {
    add(row) {
      const planned = planRow(row)
      counts[planned.action] += 1
      const demotesOwner = planned.changes.some(
        ({ field, from }) => field === 'role' && from === 'owner',
      )
      if (demotesOwner) {
        const demotions = demotionsBySlug.get(row.slug) ?? []
        demotions.push(planned)
        demotionsBySlug.set(row.slug, demotions)
      }
      if (demotesOwner || counts[planned.action] <= maxRowsPerAction) rows.push(planned)
    },
    finish() {
      for (const [slug, demotions] of demotionsBySlug) {
        if (workspaces.get(slug) !== 0) continue
        for (const planned of demotions) {
          counts[planned.action] -= 1
          counts.error += 1
          rejectDemotion(planned)
        }
      }
      return { rows, counts, effects }
    },
  }

  function planRow(row: Row): PlannedRow {
    const { line, email, slug } = row
    const memberKey = keyOf(slug, email)
    const errors = row.errors.length > 0 ? row.errors : findConflicts(row, memberKey)
    if (errors.length > 0) return { line, email, action: 'error', changes: [], errors }
    const isNew = !members.has(memberKey)
    const exceeded = useQuotas(row, isNew)
    if (exceeded.length > 0) return { line, email, action: 'error', changes: [], errors: exceeded }
    const changes = [
      ...planWorkspace(row),
      ...planUser(row),
      ...planExternalId(row),
      ...planStanding(row, memberKey),
      ...planGroups(row),
    ]
    const action = isNew ? 'create' : changes.length > 0 ? 'update' : 'unchanged'
    return { line, email, action, changes, errors }
  }

  function findConflicts(row: Row, memberKey: string): CellError[] {
    const { slug, name, role, guest, email, line } = row
    const problem = workspaces.has(slug) ? undefined : findSlugProblem(slug, ownedSlugs)
    if (problem) return [{ field: 'workspace_slug', message: problem }]
    const errors: CellError[] = []
    const firstName = name && rememberFirst(firstNames, email, { text: name, line })
    if (firstName && firstName.text !== name) {
      errors.push({ field: 'name', message: `conflicts with line ${firstName.line}` })
    }
    const firstRole = role && rememberFirst(firstRoles, memberKey, { text: role, line })
    if (firstRole && firstRole.text !== role) {
      errors.push({ field: 'role', message: `conflicts with line ${firstRole.line}` })
    }
    const firstGuest = guest && rememberFirst(firstGuests, memberKey, { text: guest, line })
    if (firstGuest && firstGuest.text !== guest) {
      errors.push({ field: 'guest', message: `conflicts with line ${firstGuest.line}` })
    }
    return [...errors, ...findStandingProblems(row, memberKey), ...findExternalIdConflicts(row)]
  }

  function findExternalIdConflicts({ externalId, email, line }: Row): CellError[] {
    if (!externalId) return []
    const field = 'external_id'
    const first = rememberFirst(firstExternalIds, email, { text: externalId, line })
    if (first.text !== externalId) return [{ field, message: `conflicts with line ${first.line}` }]
    const user = rememberFirst(firstUsers, externalId, { text: email, line })
    if (user.text !== email)
      return [{ field, message: `identifies another user on line ${user.line}` }]
    if ((identifiedUsers.get(externalId) ?? email) === email) return []
    return [{ field, message: 'identifies another user' }]
  }

  function planExternalId({ email, externalId: to }: Row): Change[] {
    const from = externalIds.get(email) ?? ''
    if (!to || to === from) return []
    externalIds.set(email, to)
    const change = { field: 'external_id', from, to }
    effects.externalIds.set(email, change)
    return [change]
  }

  /**
   * Adds the members and groups that a row creates to the usage of its workspace. If that exceeds a
   * quota, returns errors and changes nothing.
   */
  function useQuotas({ slug, groups: names }: Row, isNew: boolean): CellError[] {
    const newGroups = names.filter((name) => !groups.has(keyOf(slug, name))).length
    const newMembers = Number(isNew)
    if (newGroups + newMembers === 0) return []
    const before = usage.get(slug) ?? { members: 0, invitations: 0, groups: 0 }
    const after = {
      members: before.members + newMembers,
      invitations: before.invitations + newMembers,
      groups: before.groups + newGroups,
    }
    const exceeded: CellError[] = []
    const check = (field: string, used: number, added: number, name: QuotaName) => {
      if (added === 0 || used <= quotas[name]) return
      exceeded.push({ field, message: `exceeds ${describeQuota(quotas, name)}` })
    }
    check('email', after.members, newMembers, 'MAX_MEMBERS_PER_WORKSPACE')
    check('email', after.invitations, newMembers, 'MAX_PENDING_INVITATIONS_PER_WORKSPACE')
    check('groups', after.groups, newGroups, 'MAX_GROUPS_PER_WORKSPACE')
    if (exceeded.length === 0) usage.set(slug, after)
    return exceeded
  }

  function planWorkspace({ slug }: Row): Change[] {
    if (workspaces.has(slug)) return []
    workspaces.set(slug, 0)
    effects.newWorkspaces.push(slug)
    return [{ field: 'new_workspace', from: '', to: slug }]
  }

  function planUser({ email, name }: Row): Change[] {
    const before = users.get(email)
    if (before === undefined) {
      users.set(email, name)
      effects.newUsers.set(email, name)
      const created = { field: 'user', from: '', to: email }
      return name ? [created, { field: 'name', from: '', to: name }] : [created]
    }
    if (!name || name === before) return []
    users.set(email, name)
    const change = { field: 'name', from: before, to: name }
    // An earlier row may have created the user without a name.
    if (effects.newUsers.has(email)) effects.newUsers.set(email, name)
    else effects.renamed.set(email, change)
    return [change]
  }

  /** Returns why a member cannot get the role of a row, or become a guest. */
  function findStandingProblems({ role, guest }: Row, memberKey: string): CellError[] {
    const member = members.get(memberKey)
    if (guest === 'true' && member?.isSupport)
      return [{ field: 'guest', message: 'must be false for support access' }]
    const isGuest = guest === '' ? member?.isGuest : guest === 'true'
    const named = role || (guest === 'true' && firstRoles.get(memberKey)?.text) || 'viewer'
    if (!isGuest || named === 'viewer') return []
    return [{ field: 'role', message: 'must be viewer for a guest' }]
  }

  function planStanding({ slug, email, role: named, guest }: Row, memberKey: string): Change[] {
    const member = members.get(memberKey)
    const isGuest = guest === '' ? (member?.isGuest ?? false) : guest === 'true'
    const role = named || (isGuest ? 'viewer' : (member?.role ?? 'viewer'))
    const to = { role, isGuest }
    if (!member) {
      members.set(memberKey, invitedMember(to))
      effects.newMembers.set(memberKey, { slug, email, ...to })
    } else if (role === member.role && isGuest === member.isGuest) return []
    else {
      members.set(memberKey, { ...member, ...to })
      const first = effects.roleChanges.get(memberKey)?.from
      if (effects.newMembers.has(memberKey))
        effects.newMembers.set(memberKey, { slug, email, ...to })
      else effects.roleChanges.set(memberKey, { slug, email, from: first ?? member, to })
    }
    if (member?.joined) {
      const ownerChange = Number(role === 'owner') - Number(member.role === 'owner')
      workspaces.set(slug, (workspaces.get(slug) ?? 0) + ownerChange)
    }
    const guestBefore = member ? String(member.isGuest) : ''
    return [
      ...(role === member?.role ? [] : [{ field: 'role', from: member?.role ?? '', to: role }]),
      ...(isGuest === (member?.isGuest ?? false)
        ? []
        : [{ field: 'guest', from: guestBefore, to: String(isGuest) }]),
    ]
  }

  function planGroups({ slug, email, groups: names }: Row): Change[] {
    const isMember = (name: string) => groups.get(keyOf(slug, name))?.has(email) ?? false
    const existing = names.filter(isMember)
    if (existing.length === names.length) return []
    const newGroups = names.filter((name) => !groups.has(keyOf(slug, name)))
    effects.newGroups.push(...newGroups.map((name) => ({ slug, name })))
    for (const name of names) {
      if (existing.includes(name)) continue
      const key = keyOf(slug, name)
      const emails = groups.get(key) ?? new Set()
      groups.set(key, emails.add(email))
      const additions = effects.newGroupMembers.get(key) ?? { slug, name, emails: [] }
      effects.newGroupMembers.set(key, additions)
      additions.emails.push(email)
    }
    const change = { field: 'groups', from: existing.join(';'), to: names.join(';') }
    if (newGroups.length === 0) return [change]
    return [{ field: 'new_groups', from: '', to: newGroups.join(';') }, change]
  }
}

/** Returns why a workspace that does not exist cannot be created, if that is so. */
function findSlugProblem(slug: string, ownedSlugs: Set<string> | undefined): string | undefined {
  if (!ownedSlugs) return 'does not match any workspace'
  if (!isSlug(slug)) return 'must be the slug of a workspace, or a valid one for a new workspace'
  return ownedSlugs.has(slug) ? undefined : 'is new, but no row makes an owner of the workspace'
}

type InvitedMember = Standing & { joined: false; isSupport: false }

/**
 * Members who have not joined. They share one object per standing, because a file can add many members.
 */
const invitedMembers = new Map<string, InvitedMember>()

function invitedMember(standing: Standing): InvitedMember {
  const key = `${standing.role} ${standing.isGuest}`
  const member = invitedMembers.get(key) ?? { ...standing, joined: false, isSupport: false }
  invitedMembers.set(key, member)
  return member
}

type CellValue = { text: string; line: number }

/** Stores the value unless the key already has one. Returns the first value. */
function rememberFirst(values: Map<string, CellValue>, key: string, value: CellValue): CellValue {
  const first = values.get(key) ?? value
  values.set(key, first)
  return first
}

function rejectDemotion(row: PlannedRow): void {
  row.action = 'error'
  row.changes = []
  row.errors = [{ field: 'role', message: 'would leave the workspace without an owner' }]
}
