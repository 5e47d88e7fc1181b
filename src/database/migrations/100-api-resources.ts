import { Migration } from '@mikro-orm/migrations'

/**
 * Adds the APIs of service apps that access tokens can be limited to, and limits codes and sessions to
 * them. A node of the previous version would issue tokens for everything to such sessions, so it does not
 * start while there are API resources.
 */
export class ApiResources extends Migration {
  override name = '100-api-resources'

  override up(): void {
    this.addSql(`
      create table api_resources (
        id uuid primary key,
        app_id uuid not null references service_apps on delete cascade,
        uri text not null unique,
        name text not null,
        scopes jsonb not null,
        position integer not null,
        created_at timestamptz not null default now()
      )`)
    this.addSql('create index on api_resources (app_id)')
    for (const table of ['authorization_codes', 'refresh_families']) {
      this.addSql(`
        alter table ${table}
          add column resource_id uuid references api_resources on delete cascade`)
      this.addSql(`create index on ${table} (resource_id) where resource_id is not null`)
    }
    this.addSql(`
      do $$ begin
        execute 'create or replace view newer_facts as '
          || rtrim(pg_get_viewdef('newer_facts'::regclass), '; ')
          || ' union all select 100, ''API resources'''
          || ' where exists (select from api_resources)';
      end $$`)
  }
}
