/**
 * The facts that expire without a change to their rows, each as the workspace, the item of
 * `access_changes` and the table of a query. The statement that confirms facts in memory also returns
 * those that have expired (`memory/change-feed.ts`).
 */
export const expiringTables = {
  shares: 'workspace_id, case when not on_parent then resource_id end from shares',
  members: 'workspace_id, user_id from ending_members',
  delegations: 'null::uuid, id from delegations',
}

export type ExpiringTable = keyof typeof expiringTables
