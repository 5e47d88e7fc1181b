import { Migration } from '@mikro-orm/migrations'

/** Lets a resource have a name that people read. */
export class DisplayNames extends Migration {
  override name = '061-display-names'

  override up(): void {
    this.addSql('alter table resources add display_name text')
    // Not validated, because new columns are empty and reading all rows would hold the lock.
    this.addSql(`alter table resources add constraint resources_display_name_check
      check (char_length(display_name) between 1 and 255) not valid`)
  }
}
