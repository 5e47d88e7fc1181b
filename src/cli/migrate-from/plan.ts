import type { Role } from '../../core/roles.ts'
import type { Place, Problem } from './tuple.ts'

/** A user by the name that requests have for it. */
export type UserName = { email: string } | { external_id: string }

/** A user to add to a workspace and to groups in it. */
export type Member = {
  place: Place
  user: UserName
  /** The slug of the workspace. */
  workspace: string
  /** Undefined if the user is a member already. */
  role: Role | undefined
  groups: string[]
}

export type Group = {
  place: Place
  name: string
  /** The slug of the workspace. */
  workspace: string
  children: { place: Place; name: string }[]
}

/** A resource or share with the fields of the imports, and the places that its fields come from. */
export type Row = {
  /** The resource in the export, in the form `folder:plan`. */
  name: string
  /** The parent of a resource, in the same form. */
  parent?: string
  place: Place
  places: Map<string, Place>
  fields: Record<string, unknown>
}

/** Tuples with the same relation that become the same, or that cannot be mapped. */
export type SummaryRow = {
  /** In the form `folder#viewer`. */
  relation: string
  /** In the form `user`, `user:*` or `group#member`. */
  subject: string
  isMapped: boolean
  /** What the tuples become, or why they are not mapped. */
  text: string
  count: number
  /** The lines of the first tuples. */
  lines: number[]
  /** One of the tuples, in the form `folder:plan#viewer@user:ann`. */
  example: string
}

/** What the tuples of an export become. */
export type Plan = {
  members: Member[]
  groups: Group[]
  resources: Row[]
  shares: Row[]
  summary: SummaryRow[]
  /** The objects that cannot be created, such as a resource without a workspace. */
  orphans: Problem[]
  problems: Problem[]
}
