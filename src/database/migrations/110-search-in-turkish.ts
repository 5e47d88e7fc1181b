import { Migration } from '@mikro-orm/migrations'
import { withoutAccents } from './039-name-search.ts'

/**
 * Lets `search_text` turn `I` into `i` in databases with a Turkish collation, too, in which `lower` turns it into
 * `ı`. In all others it returns the same as before, so that their indexes remain.
 */
export class SearchInTurkish extends Migration {
  override name = '110-search-in-turkish'

  override up(): void {
    const lower = (sql: string) => `lower(replace(${sql}, 'I', 'i'))`
    this.addSql(`
      create or replace function search_text(value text) returns text
      language sql immutable parallel safe
      return case when octet_length(value) = length(value) then ${lower('value')}
        else ${lower(withoutAccents('value'))} end`)
    const indexes = ['users', 'workspaces', 'groups', 'resources'].map((table) => `${table}_search`)
    // Open sessions would compare statements with the former expressions of the indexes, and not use them.
    for (const index of indexes) {
      this.addSql(`alter index ${index} rename to ${index}_before`)
      this.addSql(`alter index ${index}_before rename to ${index}`)
    }
    this.addSql(`
      do $$ begin
        if lower('I') <> 'i' then
          ${indexes.map((index) => `reindex index ${index};`).join('\n          ')}
        end if;
      end $$`)
  }
}
