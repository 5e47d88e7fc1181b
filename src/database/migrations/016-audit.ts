import { Migration } from '@mikro-orm/migrations'

/**
 * Adds the source of activity entries and the columns of the hash chain. Nodes of the previous
 * version leave the new columns null; their entries are sealed like all others.
 */
export class Audit extends Migration {
  override name = '016-audit'

  override up(): void {
    this.addSql(`
      alter table activity
        add column request_id text,
        add column ip text,
        add column service_app_id uuid,
        add column key_prefix text,
        add column seal_seq bigint,
        add column seal_hash text,
        add column seal_digests jsonb,
        add column seal_salts jsonb`)
    this.addSql('create unique index on activity (seal_seq) where seal_seq is not null')
    this.addSql('create index activity_unsealed_idx on activity (id) where seal_seq is null')
    // A single row with the start and the end of the chain. Entries before the start were deleted.
    this.addSql(`
      create table activity_chain (
        is_only_row boolean primary key default true check (is_only_row),
        first_seq bigint not null default 1,
        hash_before_first text not null default '',
        last_seq bigint not null default 0,
        last_hash text not null default ''
      )`)
    this.addSql('insert into activity_chain default values')
  }
}
