import { Migration } from '@mikro-orm/migrations'

/**
 * Adds what directories provision into workspaces by SCIM. The people of a directory remain known
 * while they are not members, so the tables refer to users instead of memberships. Nodes of the
 * previous version ignore all of it.
 */
export class Scim extends Migration {
  override name = '070-scim'

  override up(): void {
    this.addSql(`
      create table scim_tokens (
        workspace_id uuid primary key references workspaces on delete cascade,
        id uuid not null unique,
        token_hash text not null unique,
        token_prefix text not null,
        created_at timestamptz not null,
        last_used_at timestamptz
      )`)
    // Counts the memberships that a directory ends within an hour.
    this.addSql(`
      create table scim_guards (
        workspace_id uuid primary key references workspaces on delete cascade,
        hour_began_at timestamptz not null,
        members integer not null,
        ended integer not null,
        confirmed_until timestamptz
      )`)
    this.addSql(`
      create table scim_users (
        workspace_id uuid not null references workspace_ids on delete cascade,
        user_id uuid not null references users on delete cascade,
        user_name text not null,
        external_id text,
        attributes jsonb not null,
        is_active boolean not null,
        created_at timestamptz not null,
        updated_at timestamptz not null,
        deleted_at timestamptz,
        primary key (workspace_id, user_id)
      )`)
    this.addSql('create index on scim_users (user_id)')
    // Deleted people remain, because they must not join again by a connection.
    this.addSql(`create unique index scim_users_by_name on scim_users (workspace_id, user_name)
      where deleted_at is null`)
    this.addSql(`create index on scim_users (workspace_id, external_id)
      where external_id is not null`)
    this.addSql(`
      create table scim_groups (
        group_id uuid primary key references groups on delete cascade,
        workspace_id uuid not null,
        external_id text,
        updated_at timestamptz not null
      )`)
    this.addSql(`create index on scim_groups (workspace_id, external_id)
      where external_id is not null`)
    this.addSql(`
      create table scim_group_members (
        group_id uuid not null references groups on delete cascade,
        user_id uuid not null,
        workspace_id uuid not null,
        primary key (group_id, user_id),
        foreign key (workspace_id, user_id) references scim_users (workspace_id, user_id)
          on delete cascade
      )`)
    this.addSql('create index on scim_group_members (workspace_id, user_id)')
  }
}
