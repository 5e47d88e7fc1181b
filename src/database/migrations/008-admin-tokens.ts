import { Migration } from '@mikro-orm/migrations'

/**
 * Creates a table of issued admin tokens, so that they can be revoked when their user loses access.
 */
export class AdminTokens extends Migration {
  override name = '008-admin-tokens'

  override up(): void {
    this.addSql(`
      create table admin_tokens (
        token_id uuid primary key,
        user_id uuid not null references users on delete cascade,
        expires_at timestamptz not null
      )`)
    this.addSql('create index on admin_tokens (user_id)')
    this.addSql('create index on admin_tokens (expires_at)')
  }
}
