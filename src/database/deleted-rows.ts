/*
 * A workspace or a large tree is deleted at once, and its rows in steps (`sweep-deleted.ts`). Until
 * then, these conditions hide the rows. The tables they read are usually empty.
 * See docs/decisions/resources.md#deleting-a-workspace.
 */

/** Returns the SQL condition that the workspace with the ID in a column has not been deleted. */
export function isInLiveWorkspace(workspaceId: string): string {
  return `not exists (
      select from deleted_workspaces deleted where deleted.id = ${workspaceId} offset 0
    )`
}

/**
 * Returns the SQL condition that the resource with this kind and ID is not in a deleted tree. It
 * does not read `resources` unless a tree is being swept.
 */
export function isInLiveTree(kindId: string, resourceId: string): string {
  return `not case when exists (select from deleted_trees)
      then is_in_deleted_tree(${kindId}, ${resourceId}) else false end`
}

/** Returns the SQL condition that the resource with this `id` is not the root of a deleted tree. */
export function isLiveRoot(id: string): string {
  return `not case when exists (select from deleted_trees)
      then ${id} in (select deleted.id from deleted_trees deleted) else false end`
}

/** Returns the SQL condition that the row `alias` of `resources` has not been deleted. */
export function isLiveResource(alias: string): string {
  const isInTree = isInLiveTree(`${alias}.kind_id`, `${alias}.resource_id`)
  return `${isInLiveWorkspace(`${alias}.workspace_id`)} and ${isInTree}`
}
