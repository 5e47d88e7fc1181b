/*
 * What statements offer to the SQL of grants, as SQL expressions. A fragment takes the columns that it
 * reads from these objects, so a column that a statement lacks is an error of the compiler. The texts
 * of the columns are here, because the statements that offer them share these names.
 */

/** The subject `q` of every statement. `action` is null if it is built in. */
export type SubjectColumns = { userId: string; workspaceId: string; action: string }

/** The subject of a statement that knows which service registered the action. */
export type ServiceSubjectColumns = SubjectColumns & { service: string }

/** The subject of a statement about resources of any workspace, of which it may be no member. */
export type ReasonSubjectColumns = ServiceSubjectColumns & { isOutside: string }

/** A resource whose own grants are read: the one of the check, or an ancestor of it. */
export type ResourceColumns = {
  kindId: string
  resourceId: string
  ownerId: string
  visibility: string
}

/** The resource `r` of the check. */
export type AskedColumns = { kindId: string; workspaceId: string }

/** The row `s` of `shares` with a condition. */
export type ShareColumns = { userId: string; groupId: string }

export const subjectColumns: SubjectColumns = {
  userId: 'q.user_id',
  workspaceId: 'q.workspace_id',
  action: 'q.action',
}

export const serviceSubjectColumns: ServiceSubjectColumns = {
  ...subjectColumns,
  service: 'q.service',
}

export const reasonSubjectColumns: ReasonSubjectColumns = {
  ...serviceSubjectColumns,
  isOutside: 'q.is_outside',
}

export const askedColumns: AskedColumns = { kindId: 'r.kind_id', workspaceId: 'r.workspace_id' }

export const shareColumns: ShareColumns = { userId: 's.user_id', groupId: 's.group_id' }

/** The columns of `chain` (`chain.ts`), which other tables of a fragment may have, too. */
export const chainColumns: ResourceColumns = {
  kindId: 'chain.kind_id',
  resourceId: 'chain.resource_id',
  ownerId: 'owner_id',
  visibility: 'visibility',
}

/** Returns the columns of the row `alias` of `resources`. */
export function resourceColumns(alias: string): ResourceColumns {
  return {
    kindId: `${alias}.kind_id`,
    resourceId: `${alias}.resource_id`,
    ownerId: `${alias}.owner_id`,
    visibility: `${alias}.visibility`,
  }
}
