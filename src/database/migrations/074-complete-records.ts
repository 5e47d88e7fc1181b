import { Migration } from '@mikro-orm/migrations'

/** The maximum number of rows of a statement that are recorded individually. */
const maxItems = 100

/** The tables whose changes are recorded by row, with the recorded item (migration 024). */
const byRow = [
  { table: 'resources', item: 'case when not is_parent then resource_id end' },
  { table: 'shares', item: 'case when not on_parent then resource_id end' },
  { table: 'members', item: 'user_id' },
  { table: 'group_members', item: 'user_id' },
  { table: 'custom_role_members', item: 'user_id' },
]

/** The tables in which no truncation has been recorded. */
const notTruncated = [
  'access_changes',
  'custom_role_members',
  'deleted_trees',
  'deleted_workspaces',
  'denied_tokens',
  'resource_kinds',
]

/**
 * Completes the records of changes (migration 024), so that whatever changes the facts of decisions is
 * recorded, also by operators: the row before an update, deletions inside other triggers, every
 * operation on every table, and all of it under `session_replication_role = replica`.
 *
 * Only updates of rows that are recorded individually and deletions record more than before.
 * Registering and sharing do not.
 */
export class CompleteRecords extends Migration {
  override name = '074-complete-records'

  override up(): void {
    for (const { table, item } of byRow) {
      this.createRecorder(
        `record_updated_${table}`,
        `if exists (select from changed offset ${maxItems}) then
          insert into access_changes (workspace_id)
          select workspace_id from before union select workspace_id from changed;
        else
          insert into access_changes (workspace_id, item_id)
          select workspace_id, ${item} from before union select workspace_id, ${item} from changed;
        end if`,
      )
      this.replaceTrigger(table, 'update', `record_updated_${table}`)
    }
    this.recordDeletedShares()
    this.recordRoles()
    this.recordUsers()
    this.recordDeletions()

    for (const operation of ['insert', 'update', 'delete'])
      this.replaceTrigger('resource_kinds', operation, 'record_service_changes')
    this.replaceTrigger('resource_roles', 'insert', 'record_service_changes')
    for (const table of notTruncated)
      this.addSql(`create or replace trigger record_truncation after truncate on ${table}
        for each statement execute function record_truncation()`)
    this.stampReplicatedChanges()
    this.addSql(`
      do $$
      declare
        recorder record;
      begin
        for recorder in
          select tgrelid::regclass as recorded, tgname from pg_trigger join pg_class c on c.oid = tgrelid
          where c.relnamespace = current_schema()::regnamespace and not tgisinternal
            and (tgname like 'record\\_access\\_%' or tgname = 'record_truncation')
        loop
          execute format('alter table %s enable always trigger %I', recorder.recorded, recorder.tgname);
        end loop;
      end $$`)
  }

  /**
   * Shares are often deleted with their resource, member or group. The record of these covers them.
   * Foreign keys do not act under `session_replication_role = replica`.
   */
  private recordDeletedShares(): void {
    const { item = '' } = byRow.find(({ table }) => table === 'shares') ?? {}
    const rows = `changed s where current_setting('session_replication_role') = 'replica' or (
      exists (select from resources r where r.kind_id = s.kind_id and r.resource_id = s.resource_id)
      and (s.user_id is null or exists (
        select from members m where m.user_id = s.user_id and m.workspace_id = s.workspace_id))
      and (s.group_id is null or exists (select from groups g where g.id = s.group_id)))`
    this.createRecorder(
      'record_deleted_shares',
      `if exists (select from changed offset ${maxItems}) then
        insert into access_changes (workspace_id) select distinct workspace_id from ${rows};
      else
        insert into access_changes (workspace_id, item_id)
        select distinct workspace_id, ${item} from ${rows};
      end if`,
    )
    this.replaceTrigger('shares', 'delete', 'record_deleted_shares')
  }

  /** An action of a role affects the members and groups of the role. */
  private recordRoles(): void {
    const affected = (rows: string) => `
      insert into access_changes (workspace_id)
      select workspace_id from custom_role_members where role_id in (${rows})
      union select workspace_id from custom_role_groups where role_id in (${rows})`
    const rows = 'select role_id from changed'
    this.createRecorder('record_custom_role_action_changes', affected(rows))
    this.createRecorder(
      'record_updated_custom_role_actions',
      affected(`select role_id from before union ${rows}`),
    )
    this.replaceTrigger('custom_role_actions', 'update', 'record_updated_custom_role_actions')
    this.createRecorder(
      'record_updated_custom_role_groups',
      `insert into access_changes (workspace_id)
      select workspace_id from before union select workspace_id from changed`,
    )
    this.replaceTrigger('custom_role_groups', 'update', 'record_updated_custom_role_groups')
  }

  /** The first user with an ID or a name needs no record, because unknown users are not remembered. */
  private recordUsers(): void {
    const facts = ['is_active', 'is_admin', 'email', 'external_id', 'workspace_id']
    const row = (alias: string) => facts.map((column) => `${alias}.${column}`).join(', ')
    this.createRecorder(
      'record_user_changes',
      `insert into access_changes (workspace_id, item_id)
      select null::uuid, id from before full join changed using (id)
      where (${row('before')}) is distinct from (${row('changed')})`,
    )
    this.createRecorder(
      'record_updated_denied_tokens',
      `insert into access_changes (workspace_id, item_id)
      select null::uuid, token_id from before union select null::uuid, token_id from changed`,
    )
    this.replaceTrigger('denied_tokens', 'update', 'record_updated_denied_tokens')
    // Expired tokens are deleted in large numbers, and their denial no longer matters.
    this.createRecorder(
      'record_deleted_denied_tokens',
      `insert into access_changes (workspace_id, item_id)
      select null::uuid, token_id from changed where expires_at > statement_timestamp()`,
    )
    this.replaceTrigger('denied_tokens', 'delete', 'record_deleted_denied_tokens')
  }

  /** Rows of deleted trees and workspaces are usually deleted with the rows that they refer to. */
  private recordDeletions(): void {
    this.createRecorder(
      'record_updated_deleted_trees',
      `insert into access_changes (workspace_id)
      select distinct workspace_id from resources
      where id in (select id from before union select id from changed)`,
    )
    this.createRecorder(
      'record_updated_deleted_workspaces',
      `insert into access_changes (workspace_id)
      select id from before union select id from changed`,
    )
    for (const [table, name] of [
      ['deleted_trees', 'tree'],
      ['deleted_workspaces', 'workspace'],
    ]) {
      this.replaceTrigger(`${table}`, 'update', `record_updated_${table}`)
      this.replaceTrigger(`${table}`, 'delete', `record_deleted_${name}_changes`)
    }
  }

  /**
   * Logical replication fires only triggers for rows, so a subscriber has no records but those of its
   * publisher. They need the IDs of its own transactions. In other sessions, the trigger does not act.
   */
  private stampReplicatedChanges(): void {
    this.addSql(`
      create function stamp_replicated_change() returns trigger language plpgsql as $$
      begin
        new.transaction := pg_current_xact_id();
        return new;
      end $$`)
    this.addSql(`create trigger stamp_replicated_change before insert on access_changes
      for each row execute function stamp_replicated_change()`)
    this.addSql('alter table access_changes enable replica trigger stamp_replicated_change')
  }

  private createRecorder(name: string, statement: string): void {
    this.addSql(`
      create or replace function ${name}() returns trigger language plpgsql as $$
      begin
        ${statement};
        return null;
      end $$`)
  }

  private replaceTrigger(table: string, operation: string, recorder: string): void {
    const rows = {
      insert: 'new table as changed',
      update: 'old table as before new table as changed',
      delete: 'old table as changed',
    }[operation]
    this.addSql(`create or replace trigger record_access_${operation} after ${operation} on ${table}
      referencing ${rows} for each statement execute function ${recorder}()`)
  }
}
