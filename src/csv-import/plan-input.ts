import type { Role } from '../core/roles.ts'
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

/** Joins a slug with an e-mail address or a name into a key. Slugs contain no spaces. */
export function keyOf(slug: string, word: string): string {
  return `${slug} ${word}`
}
