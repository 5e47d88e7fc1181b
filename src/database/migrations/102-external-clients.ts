import { Migration } from '@mikro-orm/migrations'

/**
 * Adds the URL of clients that nobody registered, which have a row from their first consent on. A node of
 * the previous version would take such a client for a registered one, so it does not start while there is
 * one.
 */
export class ExternalClients extends Migration {
  override name = '102-external-clients'

  override up(): void {
    this.addSql('alter table client_apps add column metadata_uri text unique')
    this.addSql(`
      do $$ begin
        execute 'create or replace view newer_facts as '
          || rtrim(pg_get_viewdef('newer_facts'::regclass), '; ')
          || ' union all select 102, ''clients that are known by their URL'''
          || ' where exists (select from client_apps where metadata_uri is not null)';
      end $$`)
  }
}
