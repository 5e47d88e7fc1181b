import { Migration } from '@mikro-orm/migrations'

/**
 * Adds the API keys of service accounts. A key that ends is deleted, and its ID is added to
 * `denied_tokens`, whose changes are recorded, because nodes remember keys for a while.
 */
export class ApiKeys extends Migration {
  override name = '041-api-keys'

  override up(): void {
    this.addSql(`
      create table api_keys (
        id uuid primary key,
        user_id uuid not null references users on delete cascade,
        name text not null,
        key_hash text not null unique,
        key_prefix text not null,
        created_at timestamptz not null default now(),
        expires_at timestamptz,
        last_used_at timestamptz
      )`)
    this.addSql('create index api_keys_by_user on api_keys (user_id)')
  }
}
