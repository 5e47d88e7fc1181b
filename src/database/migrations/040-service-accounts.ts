import { Migration } from '@mikro-orm/migrations'

/**
 * Adds service accounts: users without an e-mail address, who belong to one workspace and are deleted
 * with it. Their memberships end with them, but the rows remain: an account that has ended may own
 * resources.
 */
export class ServiceAccounts extends Migration {
  override name = '040-service-accounts'

  override up(): void {
    this.addSql('alter table users alter column email drop not null')
    this.addSql(
      'alter table users add column workspace_id uuid references workspaces on delete cascade',
    )
    this.addSql(`alter table users add constraint users_are_people_or_service_accounts
      check ((workspace_id is null) = (email is not null)) not valid`)
    this.addSql('alter table users validate constraint users_are_people_or_service_accounts')
    this.addSql(`create index service_accounts_by_workspace on users (workspace_id)
      where workspace_id is not null`)
    this.addSql(
      'create view people as select id, email, name from users where workspace_id is null',
    )
    this.addSql(`
      create view service_accounts as
      select u.id, u.workspace_id, u.name, m.role, u.is_active, m.expires_at, u.created_at
      from users u join members m on m.user_id = u.id and m.workspace_id = u.workspace_id`)
  }
}
