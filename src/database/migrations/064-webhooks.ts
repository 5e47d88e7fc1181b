import { Migration } from '@mikro-orm/migrations'

/**
 * Adds webhooks and their deliveries. `webhook_feed` contains the position in the activity log up to
 * which deliveries have been created.
 */
export class Webhooks extends Migration {
  override name = '064-webhooks'

  override up(): void {
    this.addSql(`
      create table webhooks (
        id uuid primary key,
        url text not null,
        events text[] not null,
        workspace_id uuid references workspaces on delete cascade,
        description text not null,
        secret text not null,
        previous_secret text,
        previous_secret_expires_at timestamptz,
        is_active boolean not null,
        deactivated_reason text,
        failing_since timestamptz,
        created_by uuid references users on delete set null,
        created_at timestamptz not null default now()
      )`)
    this.addSql('create index on webhooks (workspace_id)')
    this.addSql('create index on webhooks (created_by)')
    this.addSql(`
      create table webhook_deliveries (
        id uuid primary key,
        webhook_id uuid not null references webhooks on delete cascade,
        type text not null,
        request_body text not null,
        state text not null default 'pending' check (state in ('pending', 'delivered', 'failed')),
        attempts int not null default 0,
        next_attempt_at timestamptz,
        first_failed_at timestamptz,
        attempted_at timestamptz,
        duration_ms int,
        response_status int,
        response_body text,
        error text,
        created_at timestamptz not null default now(),
        expires_at timestamptz not null default now() + interval '30 days'
      )`)
    this.addSql('create index on webhook_deliveries (webhook_id, id)')
    this.addSql(`create index webhook_deliveries_due on webhook_deliveries
      (webhook_id, next_attempt_at) where state = 'pending'`)
    this.addSql('create index on webhook_deliveries (expires_at)')
    this.addSql(`
      create table webhook_feed (
        id boolean primary key default true check (id),
        position bigint not null,
        hash text not null
      )`)
    this.addSql(`insert into webhook_feed (position, hash)
      select last_seq, last_hash from activity_chain`)
  }
}
