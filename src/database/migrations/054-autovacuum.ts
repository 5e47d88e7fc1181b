import { Migration } from '@mikro-orm/migrations'

/** The tables that grow large and change all the time. */
const tables = ['resources', 'shares', 'group_members', 'activity', 'access_changes']

/**
 * Lets autovacuum work on large tables after 2 % of their rows have changed instead of 20 %. With
 * tens of millions of shares, it would otherwise wait for millions of dead rows, which every
 * statement skips until then.
 */
export class Autovacuum extends Migration {
  override name = '054-autovacuum'

  override up(): void {
    for (const table of tables) {
      this.addSql(`alter table ${table} set (
        autovacuum_vacuum_scale_factor = 0.02,
        autovacuum_vacuum_insert_scale_factor = 0.02,
        autovacuum_analyze_scale_factor = 0.02
      )`)
    }
  }
}
