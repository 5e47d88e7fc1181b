import { Migration } from '@mikro-orm/migrations'

/**
 * Counts the members, invitations, groups and resources of each workspace, so that quotas can be
 * enforced without counting rows. Triggers maintain the counts, because nodes of the previous
 * version also insert and delete rows.
 */
export class Quotas extends Migration {
  override name = '021-quotas'

  override up(): void {
    // A count is the sum of several rows, so that concurrent transactions can change different
    // rows.
    this.addSql(`
      create table workspace_counts (
        id bigint generated always as identity primary key,
        workspace_id uuid not null references workspaces on delete cascade,
        counted text not null check (counted in ('members', 'invitations', 'groups', 'resources')),
        count bigint not null
      ) with (fillfactor = 50)`)
    this.addSql('create index on workspace_counts (workspace_id, counted)')

    // Changes a row that no other transaction is changing, so that it never waits for one.
    this.addSql(`
      create function add_to_workspace_count(workspace uuid, what text, difference bigint)
      returns void language plpgsql as $$
      begin
        update workspace_counts set count = count + difference where id = (
          select id from workspace_counts where workspace_id = workspace and counted = what
          limit 1 for update skip locked);
        -- The workspace does not exist if its deletion has deleted the counted rows.
        if not found and exists (select from workspaces where id = workspace) then
          insert into workspace_counts (workspace_id, counted, count)
            values (workspace, what, difference);
        end if;
      end $$`)
    this.addSql(`
      create function count_inserted_rows() returns trigger language plpgsql as $$
      begin
        perform add_to_workspace_count(workspace_id, tg_argv[0], difference) from (
          select workspace_id, count(*) as difference from inserted group by workspace_id
        ) change;
        return null;
      end $$`)
    this.addSql(`
      create function count_deleted_rows() returns trigger language plpgsql as $$
      begin
        perform add_to_workspace_count(workspace_id, tg_argv[0], -difference) from (
          select workspace_id, count(*) as difference from deleted group by workspace_id
        ) change;
        return null;
      end $$`)
    for (const table of ['members', 'groups', 'resources']) {
      this.addSql(`create trigger count_inserted_rows after insert on ${table}
        referencing new table as inserted
        for each statement execute function count_inserted_rows(${table})`)
      this.addSql(`create trigger count_deleted_rows after delete on ${table}
        referencing old table as deleted
        for each statement execute function count_deleted_rows(${table})`)
    }

    this.addSql(`
      create function count_inserted_invitations() returns trigger language plpgsql as $$
      begin
        perform add_to_workspace_count(workspace_id, 'invitations', difference) from (
          select workspace_id, count(*) as difference from inserted
          where joined_at is null group by workspace_id
        ) change;
        return null;
      end $$`)
    this.addSql(`
      create function count_deleted_invitations() returns trigger language plpgsql as $$
      begin
        perform add_to_workspace_count(workspace_id, 'invitations', -difference) from (
          select workspace_id, count(*) as difference from deleted
          where joined_at is null group by workspace_id
        ) change;
        return null;
      end $$`)
    this.addSql(`
      create function count_changed_invitations() returns trigger language plpgsql as $$
      begin
        perform add_to_workspace_count(workspace_id, 'invitations', difference) from (
          select workspace_id, sum(difference)::bigint as difference from (
            select workspace_id, 1 as difference from inserted where joined_at is null
            union all
            select workspace_id, -1 from deleted where joined_at is null
          ) changed group by workspace_id having sum(difference) <> 0
        ) change;
        return null;
      end $$`)
    this.addSql(`create trigger count_inserted_invitations after insert on members
      referencing new table as inserted
      for each statement execute function count_inserted_invitations()`)
    this.addSql(`create trigger count_deleted_invitations after delete on members
      referencing old table as deleted
      for each statement execute function count_deleted_invitations()`)
    this.addSql(`create trigger count_changed_invitations after update on members
      referencing old table as deleted new table as inserted
      for each statement execute function count_changed_invitations()`)

    // The triggers have locked the tables, so no row is inserted between this count and the commit.
    for (const table of ['members', 'groups', 'resources']) {
      this.addSql(`insert into workspace_counts (workspace_id, counted, count)
        select workspace_id, '${table}', count(*) from ${table} group by workspace_id`)
    }
    this.addSql(`insert into workspace_counts (workspace_id, counted, count)
      select workspace_id, 'invitations', count(*) from members
      where joined_at is null group by workspace_id`)

    // Both functions are volatile, so that each of their queries sees what was committed before it.
    this.addSql(`
      create function read_workspace_count(workspace uuid, what text)
      returns bigint language sql volatile as $$
        select coalesce(sum(count), 0)::bigint from workspace_counts
        where workspace_id = workspace and counted = what
      $$`)
    // Uncommitted resources are not counted, so transactions near the quota run one after the
    // other.
    this.addSql(`
      create function count_resources_for_quota(workspace uuid, quota bigint)
      returns bigint language plpgsql volatile as $$
      declare
        used bigint := read_workspace_count(workspace, 'resources');
      begin
        if used + 10000 < quota then return used; end if;
        perform pg_advisory_xact_lock(hashtextextended('daikon resource quota ' || workspace, 0));
        return read_workspace_count(workspace, 'resources');
      end $$`)
    // The lock makes other transactions that share the resource wait until this one ends.
    this.addSql(`
      create function lock_shares(
        kind int, resource uuid, grantees uuid[], out count bigint, out known uuid[])
      language plpgsql volatile as $$
      begin
        perform from resources where kind_id = kind and resource_id = resource for no key update;
        select count(*), coalesce(array_agg(grantee) filter (where grantee = any(grantees)), '{}')
          into lock_shares.count, lock_shares.known
          from (
            select coalesce(user_id, group_id) as grantee from shares
            where kind_id = kind and resource_id = resource
          ) share;
      end $$`)
  }
}
