import { Migration } from '@mikro-orm/migrations'

/**
 * Stores links: secrets with which anyone may do on a resource what the link grants. Only the hash of
 * the secret is kept. Facts of links are not remembered, so their changes are not recorded.
 *
 * Also warns about resources of the type `workspace`, which now names workspaces themselves. Their
 * services keep them until they have none.
 */
export class ResourceLinks extends Migration {
  override name = '038-resource-links'

  override up(): void {
    this.addSql(`
      create table resource_links (
        id uuid primary key,
        token_hash text not null unique,
        kind_id int not null,
        resource_id uuid not null,
        workspace_id uuid not null,
        permission text not null,
        name text,
        created_by uuid references users on delete set null,
        created_at timestamptz not null default now(),
        expires_at timestamptz,
        last_used_on date,
        foreign key (kind_id, resource_id) references resources (kind_id, resource_id)
          on delete cascade
      )`)
    this.addSql('create index links_of_resource on resource_links (kind_id, resource_id, id)')
    this.addSql(`create index links_by_expiry on resource_links (expires_at)
      where expires_at is not null`)
    this.addSql(`create index links_by_creator on resource_links (created_by)
      where created_by is not null`)
    this.addSql(`create index links_by_role on resource_links (kind_id, permission)
      where permission not in ('view', 'edit')`)
    this.addSql(`
      do $$
      declare
        listed text;
      begin
        select string_agg(service_name, ', ' order by service_name) into listed
        from resource_kinds k
        where resource_type = 'workspace'
          and exists (select from resources r where r.kind_id = k.id);
        if listed is not null then
          raise warning 'Resources of the type workspace, which names workspaces themselves, are registered by: %. These services cannot ask about workspaces until they have none.', listed;
        end if;
      end $$`)
  }
}
