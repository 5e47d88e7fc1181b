import { Migration } from '@mikro-orm/migrations'

/**
 * Adds `search_text`, the form of a text that searches compare: without case, accents and invisible
 * characters. It depends on no extension, because `unaccent` is not immutable, so that an index
 * could not contain it. The fast path for ASCII also covers databases that are not encoded in UTF-8,
 * in which `normalize` fails. PostgreSQL inlines the function into statements, so it must remain a
 * single expression.
 */
export class NameSearch extends Migration {
  override name = '039-name-search'

  override up(): void {
    this.addSql(`
      create function search_text(value text) returns text
      language sql immutable parallel safe
      return case when octet_length(value) = length(value) then lower(value)
        else lower(${withoutAccents('value')}) end`)
    this.addSql('drop index users_email_name_idx')
    this.addSql('drop index workspaces_slug_name_idx')
    for (const [table, columns] of Object.entries(searched)) {
      const keys = columns.map((column) => `search_text(${column}) gin_trgm_ops`)
      this.addSql(`create index ${table}_search on ${table} using gin (${keys.join(', ')})`)
    }
    this.addSql(`create index resources_search on resources
      (search_text(external_id) text_pattern_ops, id) where external_id is not null`)
    // Until the first analysis, the planner knows nothing about the expressions of the indexes.
    this.addSql('analyze users, workspaces, groups, resources')
  }
}

const searched = {
  users: ['email', 'name'],
  workspaces: ['slug', 'name'],
  groups: ['name'],
}

/** Returns SQL for a text without accents and invisible characters. */
export function withoutAccents(sql: string): string {
  // Combining marks of Latin, Greek, Cyrillic, Hebrew and Arabic; zero-width and direction marks.
  const invisible = String.raw`[\u00ad\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufe0f\ufeff]`
  const visible = `regexp_replace(normalize(${sql}, nfkd), '${invisible}', '', 'g')`
  // Letters that have no decomposition.
  let latin = `translate(${visible}, 'øØłŁđĐħĦŧŦıðÐ', 'oollddhhttidd')`
  for (const [letter, ascii] of [
    ['æ', 'ae'],
    ['Æ', 'ae'],
    ['œ', 'oe'],
    ['Œ', 'oe'],
    ['ß', 'ss'],
    ['ẞ', 'ss'],
    ['þ', 'th'],
    ['Þ', 'th'],
  ]) {
    latin = `replace(${latin}, '${letter}', '${ascii}')`
  }
  return latin
}
