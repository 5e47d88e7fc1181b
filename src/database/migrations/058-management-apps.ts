import { Migration } from '@mikro-orm/migrations'

/**
 * Adds management apps, the tokens that clients obtain with their own credentials, and what the
 * activity log needs to name machines as actors.
 */
export class ManagementApps extends Migration {
  override name = '058-management-apps'

  override up(): void {
    this.addSql(`
      create table management_apps (
        id uuid primary key,
        name text not null,
        scopes text[] not null,
        is_active boolean not null default true,
        last_used_at timestamptz,
        created_by uuid references users on delete set null,
        created_at timestamptz not null default now()
      )`)
    this.addSql(`create index management_apps_by_creator on management_apps (created_by)
      where created_by is not null`)
    this.addSql(`
      create table management_secrets (
        secret_hash text primary key,
        secret_prefix text not null,
        app_id uuid not null references management_apps on delete cascade,
        created_at timestamptz not null default now(),
        expires_at timestamptz
      )`)
    this.addSql('create index on management_secrets (app_id)')
    this.addSql('create index on management_secrets (expires_at)')
    // A client is a management app or a client app. Its tokens are denied before it is deleted.
    this.addSql(`
      create table client_tokens (
        token_id uuid primary key,
        client_id uuid not null,
        user_id uuid,
        expires_at timestamptz not null
      )`)
    this.addSql('create index on client_tokens (client_id)')
    this.addSql('create index on client_tokens (user_id) where user_id is not null')
    this.addSql('create index on client_tokens (expires_at)')
    this.addSql('alter table activity add column actor_type text, add column api_key_prefix text')
  }
}
