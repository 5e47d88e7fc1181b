import { Migration } from '@mikro-orm/migrations'

/**
 * Adds support access: memberships that administrators give for a limited time, with a reason, unless an
 * owner of the workspace has forbidden it.
 */
export class SupportAccess extends Migration {
  override name = '060-support-access'

  override up(): void {
    this.addSql('alter table workspaces add column support_access boolean not null default true')
    this.addSql('alter table members add column support_reason text')
    this.addSql(`
      create or replace view live_members as
      select user_id, workspace_id, role, joined_at, invited_by, created_at, expires_at,
        support_reason
      from members
      where (expires_at is null or expires_at > statement_timestamp())
        and not exists (
          select from deleted_workspaces d where d.id = members.workspace_id offset 0
        )`)
  }
}
