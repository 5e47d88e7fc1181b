import { Migration } from '@mikro-orm/migrations'

/** Adds the type, secrets and logout URLs of client apps. Existing apps are public. */
export class ClientApps extends Migration {
  override name = '018-client-apps'

  override up(): void {
    this.addSql(`
      alter table client_apps
        add column type text not null default 'public' check (type in ('public', 'confidential')),
        add column post_logout_redirect_uris text[] not null default '{}',
        add column backchannel_logout_uri text`)
    this.addSql(`
      create table client_secrets (
        secret_hash text primary key,
        secret_prefix text not null,
        app_id uuid not null references client_apps on delete cascade,
        created_at timestamptz not null default now(),
        expires_at timestamptz
      )`)
    this.addSql('create index on client_secrets (app_id)')
    this.addSql('create index on client_secrets (expires_at)')
  }
}
