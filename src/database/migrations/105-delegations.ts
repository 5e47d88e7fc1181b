import { Migration } from '@mikro-orm/migrations'

/**
 * The changes that end delegations: each row of `changes` ends those that `where` finds, a condition on the
 * row `d` of `delegations`, by an index.
 */
const ends = [
  {
    name: 'deactivated_users',
    on: 'update on users',
    changes: 'before b join changed c on c.id = b.id where b.is_active and not c.is_active',
    where: 'c.id in (d.user_id, d.agent_id)',
  },
  {
    name: 'deleted_users',
    on: 'delete on users',
    changes: 'changed c',
    where: 'd.agent_id = c.id',
  },
  {
    name: 'deleted_members',
    on: 'delete on members',
    changes: 'changed c',
    where: 'c.user_id in (d.user_id, d.agent_id) and d.workspace_id = c.workspace_id',
  },
  {
    // Extending a membership that has ended revives nothing.
    name: 'ended_members',
    on: 'update on members',
    changes: 'before c where c.expires_at <= statement_timestamp()',
    where: 'c.user_id in (d.user_id, d.agent_id) and d.workspace_id = c.workspace_id',
  },
  {
    name: 'changed_client_apps',
    on: 'update on client_apps',
    changes: 'changed c',
    where: `d.agent_id = c.id and (
      not c.is_active or c.service_account_id is not null or c.type <> 'confidential'
      or c.workspace_id <> d.workspace_id)`,
  },
  {
    name: 'deleted_client_apps',
    on: 'delete on client_apps',
    changes: 'changed c',
    where: 'd.agent_id = c.id',
  },
  {
    name: 'deleted_service_apps',
    on: 'delete on service_apps',
    changes: 'changed c',
    where: 'd.service_name = c.service_name',
  },
  {
    name: 'refusing_workspaces',
    on: 'update on workspaces',
    changes: 'changed c where not c.delegations',
    where: 'd.workspace_id = c.id',
  },
  {
    name: 'deleted_workspaces',
    on: 'insert on deleted_workspaces',
    changes: 'changed c',
    where: 'd.workspace_id = c.id',
  },
]

const rows: Record<string, string> = {
  insert: 'new table as changed',
  update: 'old table as before new table as changed',
  delete: 'old table as changed',
}

/**
 * Matches expressions that read the variable `agent`, and not those that only select a field of this name,
 * such as `context.agent`.
 */
const agentVariable = '(^|[^\\w."\\x27])\\.?agent\\M'

/**
 * Adds delegations: what agents may do for a user. Triggers end them for good with what they depend on,
 * also where an operator changes it in SQL.
 *
 * A node of the previous version accepts no token of a delegation. It would take a condition that reads
 * `agent` for invalid, so it does not start while there is one.
 */
export class Delegations extends Migration {
  override name = '105-delegations'

  override up(): void {
    this.addSql('alter table workspaces add column delegations boolean not null default true')
    // The resources are IDs of registrations, so a resource that is registered again is another one.
    this.addSql(`
      create table delegations (
        id uuid primary key,
        user_id uuid not null references users on delete cascade,
        agent_type text not null check (agent_type in ('service_account', 'client')),
        agent_id uuid not null,
        agent_name text not null,
        workspace_id uuid not null,
        service_name text not null,
        actions text[],
        resource_types text[],
        resources uuid[],
        reason text not null,
        created_at timestamptz not null,
        expires_at timestamptz not null,
        ended_at timestamptz,
        is_end_recorded boolean not null default false,
        last_used_at timestamptz,
        check (actions is not null or resource_types is not null or resources is not null)
      )`)
    this.addSql('create index on delegations (user_id, id)')
    this.addSql('create index on delegations (workspace_id, id)')
    this.addSql('create index on delegations (agent_id)')
    this.addSql('create index on delegations (service_name)')
    this.addSql('create index on delegations (expires_at)')
    this.addSql(`create index delegations_without_recorded_end on delegations (id)
      where not is_end_recorded`)
    this.recordChanges()
    for (const { name, on, changes, where } of ends) {
      const [operation = '', , table = ''] = on.split(' ')
      const trigger = `end_delegations_of_${name}`
      this.addSql(`
        create function ${trigger}() returns trigger language plpgsql as $$
        #variable_conflict use_column
        declare
          c record;
        begin
          for c in select c.* from ${changes} loop
            update delegations d set ended_at = statement_timestamp()
            where d.ended_at is null and ${where};
          end loop;
          return null;
        end $$`)
      this.addSql(`create trigger ${trigger} after ${on}
        referencing ${rows[operation]} for each statement execute function ${trigger}()`)
      this.addSql(`alter table ${table} enable always trigger ${trigger}`)
    }
    this.addSql(`
      do $$ begin
        execute 'create or replace view newer_facts as '
          || rtrim(pg_get_viewdef('newer_facts'::regclass), '; ')
          || ' union all select 105, ''conditions about agents'''
          || ' where exists (select from resource_conditions where expression ~ ''${agentVariable}'')';
      end $$`)
  }

  /** Records the changes to facts of decisions (migration 074). */
  private recordChanges(): void {
    const facts = [
      ...['user_id', 'agent_type', 'agent_id', 'workspace_id', 'service_name', 'actions'],
      ...['resource_types', 'resources', 'expires_at', 'ended_at'],
    ]
    const row = (alias: string) => facts.map((column) => `${alias}.${column}`).join(', ')
    const changes: Record<string, string> = {
      insert: 'select null::uuid, id from changed',
      update: `select null::uuid, id from before full join changed using (id)
        where (${row('before')}) is distinct from (${row('changed')})`,
      delete: 'select null::uuid, id from changed',
    }
    for (const [operation, change] of Object.entries(changes)) {
      this.addSql(`
        create function record_${operation}_of_delegations() returns trigger language plpgsql as $$
        begin
          insert into access_changes (workspace_id, item_id) ${change};
          return null;
        end $$`)
      this.addSql(`create trigger record_access_${operation} after ${operation} on delegations
        referencing ${rows[operation]} for each statement
        execute function record_${operation}_of_delegations()`)
      this.addSql(`alter table delegations enable always trigger record_access_${operation}`)
    }
    this.addSql(`create trigger record_truncation after truncate on delegations
      for each statement execute function record_truncation()`)
    this.addSql('alter table delegations enable always trigger record_truncation')
  }
}
