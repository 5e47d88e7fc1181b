import { Migration } from '@mikro-orm/migrations'

/**
 * Creates the tables of users, workspaces, resources, shares and service apps. The activity log has
 * no foreign keys, because its entries outlive the rows they refer to.
 */
export class First extends Migration {
  override name = '001-first'

  override up(): void {
    this.addSql(`
      create table users (
        id uuid primary key,
        email text not null unique check (email = lower(btrim(email))),
        name text not null default '',
        avatar_url text not null default '',
        is_active boolean not null default true,
        is_admin boolean not null default false,
        created_at timestamptz not null default now()
      )`)
    this.addSql(`
      create table linked_accounts (
        provider text not null,
        subject text not null,
        user_id uuid not null references users on delete cascade,
        email text not null,
        created_at timestamptz not null default now(),
        primary key (provider, subject)
      )`)
    this.addSql('create index on linked_accounts (user_id)')

    this.addSql(`
      create table workspaces (
        id uuid primary key,
        name text not null,
        slug text not null unique,
        description text not null default '',
        created_at timestamptz not null default now()
      )`)
    this.addSql(`
      create table members (
        workspace_id uuid not null references workspaces on delete cascade,
        user_id uuid not null references users on delete cascade,
        role text not null check (role in ('viewer', 'editor', 'admin', 'owner')),
        joined_at timestamptz,
        created_at timestamptz not null default now(),
        primary key (user_id, workspace_id)
      )`)
    this.addSql('create index on members (workspace_id, user_id)')

    this.addSql(`
      create table groups (
        id uuid primary key,
        workspace_id uuid not null references workspaces on delete cascade,
        name text not null,
        description text not null default '',
        created_by uuid references users on delete set null,
        created_at timestamptz not null default now(),
        unique (workspace_id, name),
        unique (id, workspace_id)
      )`)
    this.addSql('create index on groups (created_by)')
    this.addSql(`
      create table group_members (
        group_id uuid not null,
        user_id uuid not null,
        workspace_id uuid not null,
        added_at timestamptz not null default now(),
        primary key (group_id, user_id),
        foreign key (group_id, workspace_id) references groups (id, workspace_id) on delete cascade,
        foreign key (user_id, workspace_id) references members on delete cascade
      )`)
    this.addSql('create index on group_members (user_id, workspace_id, group_id)')

    this.addSql(`
      create table service_actions (
        id uuid primary key,
        service_name text not null,
        name text not null,
        description text not null default '',
        registered_at timestamptz not null default now(),
        unique (service_name, name)
      )`)
    this.addSql(`
      create table custom_roles (
        id uuid primary key,
        workspace_id uuid not null references workspaces on delete cascade,
        name text not null,
        description text not null default '',
        created_at timestamptz not null default now(),
        unique (workspace_id, name),
        unique (id, workspace_id)
      )`)
    this.addSql(`
      create table custom_role_actions (
        role_id uuid not null references custom_roles on delete cascade,
        service_action_id uuid not null references service_actions on delete cascade,
        primary key (service_action_id, role_id)
      )`)
    this.addSql('create index on custom_role_actions (role_id)')
    this.addSql(`
      create table custom_role_members (
        role_id uuid not null,
        user_id uuid not null,
        workspace_id uuid not null,
        added_at timestamptz not null default now(),
        primary key (role_id, user_id),
        foreign key (role_id, workspace_id) references custom_roles (id, workspace_id)
          on delete cascade,
        foreign key (user_id, workspace_id) references members on delete cascade
      )`)
    this.addSql('create index on custom_role_members (user_id, workspace_id, role_id)')

    this.addSql(`
      create table resource_kinds (
        id int generated always as identity primary key,
        service_name text not null,
        resource_type text not null,
        unique (service_name, resource_type)
      )`)
    this.addSql(`
      create table resources (
        id uuid primary key,
        kind_id int not null references resource_kinds,
        resource_id uuid not null,
        workspace_id uuid not null references workspaces on delete cascade,
        owner_id uuid not null references users on delete cascade,
        visibility text not null check (visibility in ('private', 'workspace')),
        created_at timestamptz not null default now(),
        unique (kind_id, resource_id)
      )`)
    this.addSql('create index on resources (workspace_id, kind_id, resource_id)')
    this.addSql('create index on resources (owner_id, workspace_id, kind_id, resource_id)')
    this.addSql(`create index on resources (workspace_id, kind_id, resource_id)
      where visibility = 'workspace'`)
    // Computing has_full_access requires knowing that no resource is private.
    this.addSql(`create index on resources (workspace_id, kind_id) where visibility = 'private'`)

    // The grantee must be a member or a group of the resource's workspace. Deleting it deletes the
    // share.
    this.addSql(`
      create table shares (
        id uuid primary key,
        kind_id int not null,
        resource_id uuid not null,
        workspace_id uuid not null,
        user_id uuid,
        group_id uuid,
        permission text not null check (permission in ('view', 'edit')),
        granted_by uuid references users on delete set null,
        granted_at timestamptz not null default now(),
        check (num_nonnulls(user_id, group_id) = 1),
        foreign key (kind_id, resource_id) references resources (kind_id, resource_id)
          on delete cascade,
        foreign key (user_id, workspace_id) references members on delete cascade,
        foreign key (group_id, workspace_id) references groups (id, workspace_id) on delete cascade
      )`)
    this.addSql(`create index shares_of_resource
      on shares (kind_id, resource_id, group_id, user_id) include (permission)`)
    this.addSql(`create unique index shares_of_user
      on shares (user_id, workspace_id, kind_id, resource_id) include (permission)
      where user_id is not null`)
    this.addSql(`create unique index shares_of_group
      on shares (group_id, workspace_id, kind_id, resource_id) include (permission)
      where group_id is not null`)
    this.addSql('create index on shares (granted_by)')

    this.addSql(`
      create table service_apps (
        id uuid primary key,
        name text not null,
        service_name text not null,
        is_active boolean not null default true,
        created_at timestamptz not null default now()
      )`)
    this.addSql('create index on service_apps (id) where is_active')
    this.addSql(`
      create table service_keys (
        key_hash text primary key,
        key_prefix text not null,
        app_id uuid not null references service_apps on delete cascade,
        expires_at timestamptz,
        created_at timestamptz not null default now()
      )`)
    this.addSql('create index on service_keys (app_id)')

    this.addSql(`
      create table denied_tokens (
        token_id uuid primary key,
        expires_at timestamptz not null
      )`)
    this.addSql('create index on denied_tokens (expires_at)')

    this.addSql(`
      create table activity (
        id uuid primary key,
        action text not null,
        target_type text not null,
        target_id uuid,
        actor_id uuid,
        workspace_id uuid,
        detail jsonb not null default '{}',
        created_at timestamptz not null default now()
      )`)
    this.addSql('create index on activity (workspace_id, id)')
    this.addSql('create index on activity (actor_id, id)')
  }
}
