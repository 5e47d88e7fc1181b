import { Migration } from '@mikro-orm/migrations'

/**
 * Adds the connections of workspaces to their own identity providers, with the domains whose addresses
 * they may assert and the people who have signed in by them. A node of the previous version would let
 * such sessions reach other workspaces, so it does not start while there are connections.
 */
export class Connections extends Migration {
  override name = '069-connections'

  override up(): void {
    this.addSql(`
      create table connections (
        id uuid primary key,
        workspace_id uuid not null references workspaces on delete cascade,
        name text not null,
        issuer text not null,
        client_id text not null,
        client_secret text not null,
        scopes text[] not null,
        default_role text not null check (default_role <> 'owner'),
        is_active boolean not null,
        enforced boolean not null,
        break_glass boolean not null,
        mapping jsonb not null,
        last_sign_in_at timestamptz,
        created_by uuid references users on delete set null,
        created_at timestamptz not null default now(),
        unique (id, workspace_id)
      )`)
    this.addSql('create index on connections (workspace_id)')
    this.addSql('create index on connections (created_by)')
    // A domain may wait for its proof in many connections, but only one has it.
    this.addSql(`
      create table connection_domains (
        connection_id uuid not null,
        domain text not null,
        workspace_id uuid not null,
        token text not null,
        verified_at timestamptz,
        checked_at timestamptz,
        failing_since timestamptz,
        created_at timestamptz not null default now(),
        primary key (connection_id, domain),
        foreign key (connection_id, workspace_id) references connections (id, workspace_id)
          on delete cascade
      )`)
    this.addSql(`create unique index connection_domains_verified on connection_domains (domain)
      where verified_at is not null`)
    this.addSql(`create index connection_domains_checked on connection_domains (checked_at)
      where verified_at is not null`)
    this.addSql('create index on connection_domains (workspace_id)')
    // A subject belongs to a membership, and ends with it.
    this.addSql(`
      create table connection_subjects (
        connection_id uuid not null,
        subject text not null,
        user_id uuid not null,
        workspace_id uuid not null,
        email text not null,
        created_at timestamptz not null default now(),
        last_sign_in_at timestamptz not null,
        primary key (connection_id, subject),
        unique (connection_id, user_id),
        foreign key (connection_id, workspace_id) references connections (id, workspace_id)
          on delete cascade,
        foreign key (user_id, workspace_id) references members (user_id, workspace_id)
          on delete cascade
      )`)
    this.addSql('create index on connection_subjects (user_id, workspace_id)')
    this.addSql(`
      do $$ begin
        execute 'create or replace view newer_facts as '
          || rtrim(pg_get_viewdef('newer_facts'::regclass), ';')
          || ' union all select 69 as migration, ''connections'' as fact
               where exists (select from connections)';
      end $$`)
  }
}
