import { Migration } from '@mikro-orm/migrations'

/**
 * The tables whose rows affect the facts of decisions, with the item to record and whether their
 * rows are ever updated.
 */
const recorded = [
  { table: 'resources', item: 'case when not is_parent then resource_id end', isUpdated: true },
  { table: 'shares', item: 'case when not on_parent then resource_id end', isUpdated: true },
  { table: 'members', item: 'user_id', isUpdated: true },
  { table: 'group_members', item: 'user_id', isUpdated: false },
  { table: 'custom_role_members', item: 'user_id', isUpdated: false },
]

/** The maximum number of rows of a statement that are recorded individually. */
const maxItems = 100

/**
 * The tables in which a single row can affect every decision, with their keys and relevant columns.
 * Inserting a service key affects no cached fact, so it is not recorded.
 */
const recordedAsWhole = [
  { table: 'service_actions', key: 'id', facts: ['service_name', 'name'] },
  { table: 'service_apps', key: 'id', facts: ['service_name', 'is_active'] },
  { table: 'service_keys', key: 'key_hash', facts: ['app_id', 'expires_at'] },
]

/**
 * Records each transaction's changes to the facts that decisions depend on, so that a node can
 * cache facts and verify with one small statement that they are current. Triggers record the
 * changes, because nodes of the previous version and operators also write to these tables.
 */
export class AccessChanges extends Migration {
  override name = '024-access-changes'

  override up(): void {
    // item_id is a resource, a user or an access token. If it is null, everything in the workspace
    // changed; if workspace_id is null, the item changed in every workspace; if both are null,
    // everything changed.
    this.addSql(`
      create table access_changes (
        transaction xid8 not null default pg_current_xact_id(),
        workspace_id uuid,
        item_id uuid
      )`)
    this.addSql('create index access_changes_by_transaction on access_changes (transaction)')
    // Rows of transactions before pruned_before may have been deleted. The next pruning replaces
    // pruned_before with next_horizon.
    this.addSql(`
      create table access_changes_horizon (
        pruned_before xid8 not null,
        next_horizon xid8 not null,
        noted_at timestamptz not null default now()
      )`)
    this.addSql(`insert into access_changes_horizon (pruned_before, next_horizon)
      values (pg_current_xact_id(), pg_current_xact_id())`)
    this.addSql(`create index service_keys_by_expiry on service_keys (expires_at)
      where expires_at is not null`)

    for (const { table, item, isUpdated } of recorded) {
      // A large write is recorded as one change per workspace. A single statement that handles both
      // cases would sort the rows of every write.
      this.addSql(`
        create function record_${table}_changes() returns trigger language plpgsql as $$
        begin
          if exists (select from changed offset ${maxItems}) then
            insert into access_changes (workspace_id)
            select distinct workspace_id from changed;
          else
            insert into access_changes (workspace_id, item_id)
            select workspace_id, ${item} from changed;
          end if;
          return null;
        end $$`)
      for (const operation of isUpdated ? ['insert', 'update'] : ['insert']) {
        this.createTrigger(table, operation, 'new table as changed', `record_${table}_changes`)
      }
      // Shares that are deleted in cascade with their resource, member or group are not recorded,
      // because the triggers on those tables record the resource, the member or the members of the
      // group.
      const condition = table === 'shares' ? 'when (pg_trigger_depth() = 0)' : ''
      const deleted = 'old table as changed'
      this.createTrigger(table, 'delete', deleted, `record_${table}_changes`, condition)
    }

    this.createRecorder(
      'record_custom_role_action_changes',
      'select distinct r.workspace_id, null::uuid from changed join custom_roles r on r.id = role_id',
    )
    this.createTrigger(
      'custom_role_actions',
      'insert',
      'new table as changed',
      'record_custom_role_action_changes',
    )
    this.createTrigger(
      'custom_role_actions',
      'delete',
      'old table as changed',
      'record_custom_role_action_changes',
    )
    this.createRecorder(
      'record_user_changes',
      `select null::uuid, before.id from before left join changed using (id)
        where (before.is_active, before.is_admin)
          is distinct from (changed.is_active, changed.is_admin)`,
    )
    this.createTrigger(
      'users',
      'update',
      'old table as before new table as changed',
      'record_user_changes',
    )
    this.createRecorder('record_deleted_users', 'select null::uuid, id from changed')
    this.createTrigger('users', 'delete', 'old table as changed', 'record_deleted_users')

    this.createRecorder('record_denied_tokens', 'select null::uuid, token_id from changed')
    this.createTrigger('denied_tokens', 'insert', 'new table as changed', 'record_denied_tokens')

    this.createRecorder(
      'record_service_changes',
      'select null::uuid, null::uuid where exists (select from changed)',
    )
    for (const { table, key, facts } of recordedAsWhole) {
      if (table !== 'service_keys') {
        this.createTrigger(table, 'insert', 'new table as changed', 'record_service_changes')
      }
      this.createTrigger(table, 'delete', 'old table as changed', 'record_service_changes')
      const row = (alias: string) => facts.map((column) => `${alias}.${column}`).join(', ')
      this.createRecorder(
        `record_changed_${table}`,
        `select null::uuid, null::uuid where exists (
          select from before left join changed using (${key})
          where (${row('before')}) is distinct from (${row('changed')}))`,
      )
      const rows = 'old table as before new table as changed'
      this.createTrigger(table, 'update', rows, `record_changed_${table}`)
    }

    this.createRecorder('record_truncation', 'select null::uuid, null::uuid')
    const tables = [...recorded, ...recordedAsWhole].map(({ table }) => table)
    for (const table of [...tables, 'custom_role_actions', 'users']) {
      this.addSql(`create trigger record_truncation after truncate on ${table}
        for each statement execute function record_truncation()`)
    }
  }

  /**
   * Creates a trigger function that records the rows of `select`, each with a workspace and an
   * item.
   */
  private createRecorder(name: string, select: string): void {
    this.addSql(`
      create function ${name}() returns trigger language plpgsql as $$
      begin
        insert into access_changes (workspace_id, item_id)
        ${select};
        return null;
      end $$`)
  }

  private createTrigger(
    table: string,
    operation: string,
    rows: string,
    recorder: string,
    condition = '',
  ): void {
    this.addSql(`create trigger record_access_${operation} after ${operation} on ${table}
      referencing ${rows} for each statement ${condition} execute function ${recorder}()`)
  }
}
