import { Migration } from '@mikro-orm/migrations'

/**
 * Stores what services declare about their resource types, and lets a share name a role of the type
 * in place of a permission. A declaration is rare and can affect every decision of its service, so
 * a change to a role is recorded as a change to everything.
 */
export class ResourceRoles extends Migration {
  override name = '031-resource-roles'

  override up(): void {
    this.addSql(`
      create table resource_types (
        kind_id int primary key references resource_kinds,
        id uuid not null unique,
        description text not null
      )`)
    this.addSql(`
      create table resource_roles (
        kind_id int not null references resource_types on delete cascade,
        name text not null check (name ~ '^[a-z][a-z0-9_-]{0,63}$' and name not in ('view', 'edit')),
        description text not null,
        actions text[] not null,
        position int not null,
        primary key (kind_id, name)
      )`)
    for (const [operation, rows] of [
      ['update', 'new table as changed'],
      ['delete', 'old table as changed'],
    ]) {
      this.addSql(`create trigger record_access_${operation} after ${operation} on resource_roles
        referencing ${rows} for each statement execute function record_service_changes()`)
    }
    this.addSql(`create trigger record_truncation after truncate on resource_roles
      for each statement execute function record_truncation()`)

    // `permission` contains `view`, `edit` or the name of a role, so that the covering indexes of
    // shares include the role. No foreign key can express that: the statement that shares a
    // resource locks the role.
    this.addSql(`create index shares_by_role on shares (kind_id, permission)
      where permission not in ('view', 'edit')`)
    this.addSql('alter table shares drop constraint shares_permission_check')
  }
}
