import { Migration } from '@mikro-orm/migrations'

/**
 * Adds ids of linked accounts, which users need to unlink them, and marks users whose administrator
 * rights were revoked.
 */
export class AccountLinks extends Migration {
  override name = '013-account-links'

  override up(): void {
    this.addSql(`alter table linked_accounts
      add column id uuid not null unique default gen_random_uuid()`)
    this.addSql('alter table users add column admin_revoked boolean not null default false')
  }
}
