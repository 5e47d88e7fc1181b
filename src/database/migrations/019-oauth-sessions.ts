import { Migration } from '@mikro-orm/migrations'

/**
 * Adds browser sessions, and the columns of authorization codes and refresh-token families that
 * OAuth clients require. Nodes of the previous version leave the new columns null, as for a sign-in
 * at `/auth/login`.
 */
export class OAuthSessions extends Migration {
  override name = '019-oauth-sessions'

  override up(): void {
    // A browser that is signed in to daikon itself.
    this.addSql(`
      create table browser_sessions (
        id uuid primary key,
        secret_hash text not null unique,
        user_id uuid not null references users on delete cascade,
        provider text not null,
        authenticated_at timestamptz not null,
        acr text,
        amr text[] not null default '{}',
        created_at timestamptz not null,
        expires_at timestamptz not null
      )`)
    this.addSql('create index on browser_sessions (user_id)')
    this.addSql('create index on browser_sessions (expires_at)')
    this.addSql(`
      alter table authorization_codes
        add column client_id uuid references client_apps on delete cascade,
        add column redirect_uri text,
        add column scope text,
        add column nonce text,
        add column workspace_id uuid,
        add column browser_session_id uuid references browser_sessions on delete cascade`)
    this.addSql('create index on authorization_codes (client_id)')
    this.addSql('create index on authorization_codes (browser_session_id)')
    this.addSql(`
      alter table refresh_families
        add column client_id uuid references client_apps on delete cascade,
        add column scope text,
        add column browser_session_id uuid references browser_sessions on delete set null,
        add column authenticated_at timestamptz,
        add column acr text,
        add column amr text[]`)
    this.addSql('create index on refresh_families (client_id)')
    this.addSql('create index on refresh_families (browser_session_id)')
    // The logout tokens to send: one for each ended session of an app with a
    // backchannel_logout_uri.
    this.addSql(`
      create table logout_notifications (
        id uuid primary key default gen_random_uuid(),
        client_id uuid not null references client_apps on delete cascade,
        user_id uuid not null,
        session_id uuid not null,
        attempts integer not null default 0,
        next_attempt_at timestamptz not null,
        expires_at timestamptz not null
      )`)
    this.addSql('create index on logout_notifications (client_id)')
    this.addSql('create index on logout_notifications (next_attempt_at)')
    this.addSql('create index on logout_notifications (expires_at)')
  }
}
