import { Migration } from '@mikro-orm/migrations'

/**
 * Creates an index for substring search in names and e-mail addresses. `pg_trgm` is a trusted
 * extension, which does not require a superuser.
 */
export class Search extends Migration {
  override name = '003-search'

  override up(): void {
    this.addSql('create extension if not exists pg_trgm')
    this.addSql('create index on users using gin (email gin_trgm_ops, name gin_trgm_ops)')
  }
}
