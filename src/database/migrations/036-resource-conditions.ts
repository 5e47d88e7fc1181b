import { Migration } from '@mikro-orm/migrations'

/**
 * Stores the conditions of resource types, and the requirements that they make of actions. As with
 * roles, a change is recorded as a change to everything.
 */
export class ResourceConditions extends Migration {
  override name = '036-resource-conditions'

  override up(): void {
    // `json` keeps the parameters in the order of the declaration.
    this.addSql(`
      create table resource_conditions (
        kind_id int not null references resource_types on delete cascade,
        name text not null check (name ~ '^[a-z][a-z0-9_-]{0,63}$'),
        description text not null,
        expression text not null,
        parameters json not null,
        position int not null,
        digest text not null
          generated always as (md5(expression || chr(10) || (parameters #>> '{}'))) stored,
        primary key (kind_id, name)
      )`)
    // Nodes compile a condition once for each digest.
    this.addSql('create index resource_conditions_by_digest on resource_conditions (digest)')
    this.addSql(`
      create table resource_requirements (
        kind_id int not null references resource_types on delete cascade,
        action text not null,
        condition text not null,
        position int not null,
        primary key (kind_id, action, condition),
        foreign key (kind_id, condition) references resource_conditions on delete cascade
      )`)
    for (const table of ['resource_conditions', 'resource_requirements']) {
      for (const [operation, rows] of [
        ['insert', 'new table as changed'],
        ['update', 'new table as changed'],
        ['delete', 'old table as changed'],
      ]) {
        this.addSql(`create trigger record_access_${operation} after ${operation} on ${table}
          referencing ${rows} for each statement execute function record_service_changes()`)
      }
      this.addSql(`create trigger record_truncation after truncate on ${table}
        for each statement execute function record_truncation()`)
    }
  }
}
