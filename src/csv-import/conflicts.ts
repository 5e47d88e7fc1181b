import { isSlug } from '../core/slug.ts'
import { type CellError, keyOf, type Row, type Snapshot } from './plan-input.ts'

/** Returns why a row contradicts earlier rows, or what exists. */
export type FindConflicts = (row: Row) => CellError[]

/** Creates the function that remembers the rows it has seen. See `createPlanner`. */
export function createFindConflicts(
  { workspaces, members, identifiedUsers }: Snapshot,
  ownedSlugs: Set<string> | undefined,
): FindConflicts {
  // The first value of each name and role, to detect rows that contradict each other.
  const firstNames = new Map<string, CellValue>()
  const firstRoles = new Map<string, CellValue>()
  const firstGuests = new Map<string, CellValue>()
  const firstExternalIds = new Map<string, CellValue>()
  const firstUsers = new Map<string, CellValue>()

  return (row) => {
    const { slug, name, role, guest, email, line } = row
    const memberKey = keyOf(slug, email)
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
}

/** Returns why a workspace that does not exist cannot be created, if that is so. */
function findSlugProblem(slug: string, ownedSlugs: Set<string> | undefined): string | undefined {
  if (!ownedSlugs) return 'does not match any workspace'
  if (!isSlug(slug)) return 'must be the slug of a workspace, or a valid one for a new workspace'
  return ownedSlugs.has(slug) ? undefined : 'is new, but no row makes an owner of the workspace'
}

type CellValue = { text: string; line: number }

/** Stores the value unless the key already has one. Returns the first value. */
function rememberFirst(values: Map<string, CellValue>, key: string, value: CellValue): CellValue {
  const first = values.get(key) ?? value
  values.set(key, first)
  return first
}
