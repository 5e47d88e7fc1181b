import { Migration } from '@mikro-orm/migrations'

/** Creates the tables of client apps, used states, authorization codes and refresh tokens. */
export class SignIn extends Migration {
  override name = '002-sign-in'

  override up(): void {
    this.addSql(`
      create table client_apps (
        id uuid primary key,
        name text not null,
        is_active boolean not null default true,
        created_at timestamptz not null default now()
      )`)
    this.addSql(`
      create table client_redirect_uris (
        uri text not null,
        app_id uuid not null references client_apps on delete cascade,
        primary key (app_id, uri)
      )`)
    this.addSql('create index on client_redirect_uris (uri)')

    // A state can be used only once, because only the first insert succeeds.
    this.addSql(`
      create table used_states (
        state_hash text primary key,
        expires_at timestamptz not null
      )`)
    this.addSql('create index on used_states (expires_at)')

    // A session. It is deleted with the membership for which it was created.
    this.addSql(`
      create table refresh_families (
        id uuid primary key,
        user_id uuid not null,
        workspace_id uuid not null,
        provider text not null,
        user_agent text not null default '',
        created_at timestamptz not null,
        last_used_at timestamptz not null,
        expires_at timestamptz not null,
        foreign key (user_id, workspace_id) references members on delete cascade
      )`)
    this.addSql('create index on refresh_families (user_id, workspace_id)')
    this.addSql('create index on refresh_families (expires_at)')
    // Each refresh token, with the access token that was issued together with it.
    this.addSql(`
      create table refresh_tokens (
        token_id uuid primary key,
        family_id uuid not null references refresh_families on delete cascade,
        access_token_id uuid not null,
        access_expires_at timestamptz not null,
        consumed_at timestamptz
      )`)
    this.addSql('create index on refresh_tokens (family_id)')
    this.addSql('create index on refresh_tokens (access_token_id)')

    this.addSql(`
      create table authorization_codes (
        code_hash text primary key,
        user_id uuid not null references users on delete cascade,
        provider text not null,
        code_challenge text not null,
        expires_at timestamptz not null,
        consumed_at timestamptz,
        family_id uuid references refresh_families on delete set null
      )`)
    this.addSql('create index on authorization_codes (user_id)')
    this.addSql('create index on authorization_codes (family_id)')
    this.addSql('create index on authorization_codes (expires_at)')
    this.addSql('alter table users add column last_sign_in_at timestamptz')
    this.addSql(`alter table linked_accounts add column hosted_domain text not null default ''`)
  }
}
