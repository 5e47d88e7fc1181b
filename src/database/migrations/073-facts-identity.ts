import { Migration } from '@mikro-orm/migrations'

/**
 * Identifies the history of transactions that a node's facts in memory belong to. Recorded changes are
 * compared with a snapshot by transaction ID (migration 024), which is meaningful only as long as the
 * server keeps every transaction that the snapshot includes.
 *
 * - A crash loses transactions that were not flushed, and their IDs are used again. Recovery and
 *   promotion empty unlogged tables, so the row of `facts_epoch` disappears with each. The next node
 *   that misses it inserts another one.
 * - A restart changes the time at which the server started, and another database in place of the
 *   former one has other OIDs. A dump contains the row, but not these.
 *
 * Without a row, and on a standby, which cannot read unlogged tables, the identity is null.
 */
export class FactsIdentity extends Migration {
  override name = '073-facts-identity'

  override up(): void {
    this.addSql(`
      create unlogged table facts_epoch (
        is_single boolean primary key default true check (is_single),
        id uuid not null default gen_random_uuid()
      )`)
    // In PL/pgSQL, because a standby must not even plan a query of an unlogged table. `stable`, so that
    // the row comes from the snapshot of the calling statement.
    this.addSql(`
      create function facts_identity() returns text language plpgsql stable as $$
      begin
        if pg_is_in_recovery() then return null; end if;
        return (
          select concat_ws(' ',
            extract(epoch from pg_postmaster_start_time()),
            (select oid from pg_database where datname = current_database()),
            'access_changes'::regclass::oid,
            id)
          from facts_epoch
        );
      end $$`)
  }
}
