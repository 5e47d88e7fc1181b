import { Migration } from '@mikro-orm/migrations'

/**
 * Adds the consents of users to what client apps ask for, and ties codes and sessions to them. A node of the
 * previous version would give such apps access without asking, so it does not start while there are any.
 */
export class Consents extends Migration {
  override name = '103-consents'

  override up(): void {
    this.addSql(
      'alter table client_apps add column consent_required boolean not null default false',
    )
    this.addSql(`
      create table consents (
        id uuid primary key,
        user_id uuid not null,
        workspace_id uuid not null,
        client_id uuid not null references client_apps on delete cascade,
        resource_id uuid references api_resources on delete cascade,
        scopes text[] not null,
        host text not null,
        metadata_hash text not null,
        created_at timestamptz not null,
        last_used_at timestamptz not null,
        foreign key (user_id, workspace_id) references members on delete cascade
      )`)
    this.addSql(`
      create unique index on consents (user_id, client_id, workspace_id,
        coalesce(resource_id, '00000000-0000-0000-0000-000000000000'))`)
    this.addSql('create index on consents (workspace_id, id)')
    this.addSql('create index on consents (client_id)')
    this.addSql('create index on consents (host)')
    this.addSql('create index on consents (resource_id) where resource_id is not null')
    for (const table of ['authorization_codes', 'refresh_families']) {
      this.addSql(`
        alter table ${table} add column grant_id uuid references consents on delete cascade`)
      this.addSql(`create index on ${table} (grant_id) where grant_id is not null`)
    }
    this.addSql(`
      do $$ begin
        execute 'create or replace view newer_facts as '
          || rtrim(pg_get_viewdef('newer_facts'::regclass), '; ')
          || ' union all select 103, ''client apps that require consent'''
          || ' where exists (select from client_apps where consent_required)';
      end $$`)
  }
}
