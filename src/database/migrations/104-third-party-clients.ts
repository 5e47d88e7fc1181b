import { Migration } from '@mikro-orm/migrations'

/**
 * Lets owners of workspaces refuse clients that nobody registered. A node of the previous version would
 * admit them, so it does not start while a workspace refuses them.
 */
export class ThirdPartyClients extends Migration {
  override name = '104-third-party-clients'

  override up(): void {
    this.addSql(
      'alter table workspaces add column third_party_clients boolean not null default true',
    )
    this.addSql(`
      do $$ begin
        execute 'create or replace view newer_facts as '
          || rtrim(pg_get_viewdef('newer_facts'::regclass), '; ')
          || ' union all select 104, ''workspaces that refuse clients known by their URL'''
          || ' where exists (select from workspaces where not third_party_clients)';
      end $$`)
  }
}
