import { Migration } from '@mikro-orm/migrations'

/**
 * Records the browser of each browser session, by which sign-ins that end at the same time find each
 * other. Nodes of the previous version ignore it.
 */
export class Browsers extends Migration {
  override name = '082-browsers'

  override up(): void {
    this.addSql('alter table browser_sessions add column browser_hash text')
    this.addSql('create index on browser_sessions (browser_hash)')
  }
}
