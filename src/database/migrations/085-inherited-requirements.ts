import { Migration } from '@mikro-orm/migrations'

/**
 * Lets a requirement bind what inherits from the resources of its type, too. Nodes of the previous
 * version would allow what such a requirement denies.
 */
export class InheritedRequirements extends Migration {
  override name = '085-inherited-requirements'

  override up(): void {
    // The service whose resources can inherit the requirement, null if it binds only its own type. One
    // lookup by it tells a statement whether ancestors matter at all.
    this.addSql('alter table resource_requirements add column inherited_in text')
    this.addSql(`create index inherited_requirements on resource_requirements (inherited_in)
      where inherited_in is not null`)
    this.addSql(`
      do $$ begin
        execute 'create or replace view newer_facts as '
          || rtrim(pg_get_viewdef('newer_facts'::regclass), '; ')
          || ' union all select 85, ''requirements that resources below inherit'''
          || ' where exists (select from resource_requirements where inherited_in is not null)';
      end $$`)
  }
}
