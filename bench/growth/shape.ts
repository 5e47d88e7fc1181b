/*
 * The shape of the data, from which every row follows by its number. Only the number of resources
 * grows, and with it the workspaces of about 1,000 resources, their groups and the activity log;
 * the workspace with 5 % of the resources grows itself. What an ordinary member can reach is the
 * same at every size.
 */

/** `listed` is the number of resources that one reader has been given each of, at every size. */
export type GrowthSize = { resources: number; people: number; listed: number }

/** The types of resources, in the order of their IDs, which begin with 1. */
export const types = ['folder', 'document', 'sheet', 'note']
/** Of ten resources, the first is the folder of the next six. */
const kinds = [1, 2, 2, 2, 2, 2, 2, 3, 3, 4]
const membersOfWorkspace = 100
const groupsOfWorkspace = 20
export const membersOfGroup = 15
/** Resources per entry of the activity log, times three. */
export const entriesOf = (size: GrowthSize) => Math.floor((size.resources * 3) / 10)

/** Members of a workspace who have no shares from the pattern: 0 to 2 of them, counted from the end. */
export const special = { count: 3, denied: 0, oneFolder: 1 }

export const workspacesOf = ({ resources }: GrowthSize) => Math.floor((resources * 0.95) / 1000)

/** The workspace of the readers, which has the same `listed` resources at every size. */
export const readersOf = (size: GrowthSize) => workspacesOf(size) + 1

/** The parts of the workspace `w`: 0 has 5 % of the people and resources. */
export function workspaceOf(size: GrowthSize, w: number) {
  const large = Math.floor(size.people / 20)
  if (w === 0) {
    const groups = Math.floor(large / 5)
    return { members: large, firstMember: 0, groups, firstGroup: 0 }
  }
  const firstGroup = Math.floor(large / 5) + (w - 1) * groupsOfWorkspace
  // The members of workspace 1 are in no other one.
  const pool = size.people - large - membersOfWorkspace
  const places = Math.floor(pool / membersOfWorkspace)
  const firstMember =
    w === 1 ? large : large + membersOfWorkspace + ((w - 2) % places) * membersOfWorkspace
  return { members: membersOfWorkspace, firstMember, groups: groupsOfWorkspace, firstGroup }
}

/** The workspace of a resource, and the place of the resource among those of the workspace. */
export function placeOf(n: number, workspaces: number): { w: number; place: number } {
  if (n % 20 === 0) return { w: 0, place: n / 20 }
  const m = n - Math.floor(n / 20) - 1
  return { w: 1 + (m % workspaces), place: Math.floor(m / workspaces) }
}

/** The number of the resource at a place of a workspace. */
export function resourceAt(w: number, place: number, workspaces: number): number {
  if (w === 0) return place * 20
  const m = place * workspaces + w - 1
  return m + Math.floor(m / 19) + 1
}

export const kindOf = (place: number): number => kinds[place % 10] ?? 0

/**
 * The place of the parent of the resource at a place, or -1. Of a hundred folders, the first six
 * are a chain, and every second of the others is in the one before it.
 */
export function parentOf(place: number): number {
  const inBlock = place % 10
  if (inBlock > 6) return -1
  if (inBlock > 0) return place - inBlock
  const folder = (place / 10) % 100
  const isNested = folder < 6 ? folder > 0 : folder % 2 === 1
  return isNested ? place - 10 : -1
}

/** The index of the owner among the members. */
export const ownerOf = (place: number, members: number) =>
  (place * 7 + Math.floor(place / 10) * 3) % (members - special.count)

/** The indexes of the five members with a share, in ascending order. */
export function granteesOf(place: number, members: number): number[] {
  const ordinary = members - special.count
  const first = (place * 37 + Math.floor(place / 100) * 11) % ordinary
  const step = Math.max(1, Math.floor(ordinary / 5) - 1)
  const grantees = [0, 1, 2, 3, 4].map((n) => (first + n * step) % ordinary)
  return grantees.sort((a, b) => a - b)
}

/** The indexes of the one or two groups with a share, in ascending order. */
export function granteeGroupsOf(place: number, groups: number): number[] {
  const first = (place * 3 + Math.floor(place / 20)) % groups
  if (place % 2 === 0) return [first]
  const second = (first + 7) % groups
  return first < second ? [first, second] : [second, first]
}

/** The index of the nth member of a group. */
export const groupMemberOf = (group: number, n: number, members: number) =>
  (group * 5 + n * 6) % (members - special.count)

export function visibilityOf(place: number): string {
  const part = mix(place, 10)
  return part === 1 ? 'public' : part % 10 === 3 ? 'workspace' : 'private'
}

/** The resource that an entry of the log is about: three of each ten, in ascending order. */
export function targetOf(entry: number): number {
  const block = Math.floor(entry / 3)
  return block * 10 + (entry % 3) * 3 + mix(block, 2)
}

/** Returns a number of `bits` bits that depends on all bits of `n`. */
const mix = (n: number, bits: number) => Math.imul(n + 1, 2_654_435_761) >>> (32 - bits)

/**
 * The readers with their number of shares: a twentieth of `listed`, all, and 20. The number of a
 * reader is the number of people plus its index; the next person owns the resources.
 */
export const readersSharesOf = ({ listed }: GrowthSize) => [20, Math.floor(listed / 20), listed]
