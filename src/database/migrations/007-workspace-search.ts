import { Migration } from '@mikro-orm/migrations'

/** Creates an index for substring search in the slugs and names of workspaces. */
export class WorkspaceSearch extends Migration {
  override name = '007-workspace-search'

  override up(): void {
    this.addSql('create index on workspaces using gin (slug gin_trgm_ops, name gin_trgm_ops)')
  }
}
