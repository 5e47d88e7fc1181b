import { Migration } from '@mikro-orm/migrations'

/** Adds the ids that users and resources have in other systems. */
export class ExternalIds extends Migration {
  override name = '014-external-ids'

  override up(): void {
    this.addSql(`
      alter table users add external_id text unique
        check (char_length(external_id) between 1 and 255)`)
    // Not unique, because it determines `resource_id`, which is unique within its kind.
    this.addSql(`
      alter table resources add external_id text
        check (char_length(external_id) between 1 and 255)`)
  }
}
