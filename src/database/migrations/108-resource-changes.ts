import { Migration } from '@mikro-orm/migrations'

/** The columns of a resource that decide what it accepts. */
const resourceColumns = [
  'kind_id',
  'resource_id',
  'external_id',
  'workspace_id',
  'owner_id',
  'visibility',
  'parent_id',
  'inherits',
  'is_parent',
]

/** The grants of a resource, and their columns that decide what it accepts. */
const grantTables = {
  shares: ['user_id', 'group_id'],
  resource_links: [],
}
const grantColumns = ['kind_id', 'resource_id', 'workspace_id', 'permission', 'expires_at']

const changedRows: Record<string, string> = {
  insert: 'new table as changed',
  update: 'old table as before new table as changed',
  delete: 'old table as changed',
}

/**
 * Records which resources a transaction changed, for the streams of access keys, which read the state of
 * what a record names. Triggers record the changes, also those of operators, as in migrations 024 and 074.
 *
 * Expired shares and links change no row until they are deleted, and their end is part of the state.
 */
export class ResourceChanges extends Migration {
  override name = '108-resource-changes'

  override up(): void {
    // scope is r for a resource, t for a resource and everything below it, w for all resources of a
    // workspace and a for all resources.
    this.addSql(`
      create table resource_changes (
        transaction xid8 not null default pg_current_xact_id(),
        id bigint generated always as identity,
        recorded_at timestamptz not null default clock_timestamp(),
        scope "char" not null,
        kind_id int,
        resource_id uuid,
        workspace_id uuid
      )`)
    this.addSql(
      'create index resource_changes_by_transaction on resource_changes (transaction, id)',
    )
    this.addSql(`alter table resource_changes set (
      autovacuum_vacuum_scale_factor = 0.02,
      autovacuum_vacuum_insert_scale_factor = 0.02,
      autovacuum_analyze_scale_factor = 0.02
    )`)
    // Records of transactions before pruned_before may have been deleted, in the history (migration 073)
    // of identity. In another history, nothing has been deleted yet.
    this.addSql(`
      create table resource_changes_horizon (
        is_single boolean primary key default true check (is_single),
        pruned_before xid8 not null,
        identity text not null
      )`)
    this.recordResources()
    for (const [table, columns] of Object.entries(grantTables)) this.recordGrants(table, columns)
    this.recordDeletions()
    this.recordEverything()
    this.stampReplicatedChanges()
  }

  private recordResources(): void {
    this.createRecorder(
      'note_resources',
      `insert into resource_changes (scope, kind_id, resource_id)
      select 'r', kind_id, resource_id from changed`,
    )
    this.createTrigger('resources', 'insert', 'note_resources')
    this.createTrigger('resources', 'delete', 'note_resources')
    const row = (alias: string) => columnsOf(alias, resourceColumns)
    this.createRecorder(
      'note_updated_resources',
      `insert into resource_changes (scope, kind_id, resource_id)
      select case when after.is_parent
          and (prior.parent_id, prior.inherits) is distinct from (after.parent_id, after.inherits)
        then 't' else 'r' end::"char", named.kind_id, named.resource_id
      from before prior full join changed after using (id) cross join lateral (
        select prior.kind_id, prior.resource_id where prior.kind_id is not null
        union select after.kind_id, after.resource_id where after.kind_id is not null
      ) named
      where (${row('prior')}) is distinct from (${row('after')})`,
    )
    this.createTrigger('resources', 'update', 'note_updated_resources')
  }

  /**
   * Shares and links are often deleted with their resource, whose record covers them. The session plans each
   * statement once. With `offset 0`, it reads resources by index, even if the first change was a large one.
   */
  private recordGrants(table: string, columns: string[]): void {
    this.createRecorder(
      `note_${table}`,
      `insert into resource_changes (scope, kind_id, resource_id)
      select distinct 'r'::"char", kind_id, resource_id from changed`,
    )
    this.createTrigger(table, 'insert', `note_${table}`)
    this.createRecorder(
      `note_removed_${table}`,
      `insert into resource_changes (scope, kind_id, resource_id)
      select distinct 'r'::"char", kind_id, resource_id from changed g
      where current_setting('session_replication_role') = 'replica' or exists (
        select from resources r
        where r.kind_id = g.kind_id and r.resource_id = g.resource_id offset 0)`,
    )
    this.createTrigger(table, 'delete', `note_removed_${table}`)
    const row = (alias: string) => columnsOf(alias, [...grantColumns, ...columns])
    this.createRecorder(
      `note_updated_${table}`,
      `insert into resource_changes (scope, kind_id, resource_id)
      select distinct 'r'::"char", named.kind_id, named.resource_id
      from before prior full join changed after using (id) cross join lateral (
        select prior.kind_id, prior.resource_id where prior.kind_id is not null
        union select after.kind_id, after.resource_id where after.kind_id is not null
      ) named
      where (${row('prior')}) is distinct from (${row('after')})`,
    )
    this.createTrigger(table, 'update', `note_updated_${table}`)
  }

  /**
   * Rows of a deleted tree or workspace count as deleted before they are. Rows of `deleted_trees` and
   * `deleted_workspaces` are usually deleted with the rows that they refer to.
   */
  private recordDeletions(): void {
    const record = (table: string, name: string, ids: string) => {
      const sql =
        table === 'deleted_trees'
          ? `insert into resource_changes (scope, kind_id, resource_id)
            select 't', r.kind_id, r.resource_id from (${ids}) named cross join lateral (
              select kind_id, resource_id from resources where resources.id = named.id offset 0) r`
          : `insert into resource_changes (scope, workspace_id) select distinct 'w'::"char", id from (${ids}) named`
      this.createRecorder(name, sql)
    }
    for (const table of ['deleted_trees', 'deleted_workspaces']) {
      record(table, `note_${table}`, 'select id from changed')
      record(table, `note_updated_${table}`, 'select id from before union select id from changed')
      this.createTrigger(table, 'insert', `note_${table}`)
      this.createTrigger(table, 'update', `note_updated_${table}`)
      this.createTrigger(table, 'delete', `note_${table}`)
    }
  }

  /** Only operators truncate tables, and change or delete types of resources. */
  private recordEverything(): void {
    this.createRecorder('note_all_resources', `insert into resource_changes (scope) values ('a')`)
    for (const operation of ['update', 'delete'])
      this.createTrigger('resource_kinds', operation, 'note_all_resources')
    const tables = ['resources', ...Object.keys(grantTables), 'deleted_trees']
    for (const table of [...tables, 'deleted_workspaces', 'resource_kinds', 'resource_changes']) {
      this.addSql(`create trigger record_resource_truncation after truncate on ${table}
        for each statement execute function note_all_resources()`)
      this.addSql(`alter table ${table} enable always trigger record_resource_truncation`)
    }
  }

  /** As for `access_changes` (migration 074). */
  private stampReplicatedChanges(): void {
    this.addSql(`create trigger stamp_replicated_change before insert on resource_changes
      for each row execute function stamp_replicated_change()`)
    this.addSql('alter table resource_changes enable replica trigger stamp_replicated_change')
  }

  private createRecorder(name: string, statement: string): void {
    this.addSql(`
      create function ${name}() returns trigger language plpgsql as $$
      begin
        ${statement};
        return null;
      end $$`)
  }

  private createTrigger(table: string, operation: string, recorder: string): void {
    const name = `record_resource_${operation}`
    this.addSql(`create trigger ${name} after ${operation} on ${table}
      referencing ${changedRows[operation]} for each statement execute function ${recorder}()`)
    this.addSql(`alter table ${table} enable always trigger ${name}`)
  }
}

function columnsOf(alias: string, columns: string[]): string {
  return columns.map((column) => `${alias}.${column}`).join(', ')
}
