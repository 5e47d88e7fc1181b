import { dataSetSql } from './data-set-sql.ts'

/** The size of the data. */
export type AdminDataSize = {
  users: number
  workspaces: number
  resources: number
  entries: number
}

/**
 * Returns statements that create users who signed up over 300 days, with workspaces, groups and
 * resources as in the data set of the checks but without shares, and an activity log in which one
 * event in 1,000 deletes a workspace.
 */
export function adminDataSql({ users, workspaces, resources, entries }: AdminDataSize): string[] {
  const baseStatements = dataSetSql({ users, workspaces, resources })
  return [
    ...baseStatements.filter((statement) => !statement.includes('insert into shares')),
    `update users set created_at = now() - random() * interval '300 days'`,
    `insert into activity
       (id, action, target_type, target_id, actor_id, workspace_id, detail, created_at)
     select
       (lpad(to_hex(1760000000000 + n * 1000), 12, '0') || '7' || substr(md5(n::text), 1, 19))::uuid,
       case when n % 1000 = 0 then 'workspace.deleted'
         else (array['user.signed_in', 'permission.shared', 'group.created'])[1 + n % 3] end,
       case when n % 1000 = 0 then 'workspace'
         else (array['user', 'permission', 'group'])[1 + n % 3] end,
       md5('t' || n)::uuid, md5('u' || n::bigint * 7 % ${users})::uuid,
       md5('w' || n % ${workspaces})::uuid, '{"name": "Writers"}',
       to_timestamp(1760000000 + n)
     from generate_series(1, ${entries}) n`,
    'vacuum (analyze)',
  ]
}
