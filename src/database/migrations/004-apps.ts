import { Migration } from '@mikro-orm/migrations'

/** Adds the creators of apps and the time when a key of a service app was last used. */
export class Apps extends Migration {
  override name = '004-apps'

  override up(): void {
    this.addSql(`
      alter table service_apps
        add column last_used_at timestamptz,
        add column created_by uuid references users on delete set null`)
    this.addSql('create index on service_apps (created_by)')
    this.addSql(`
      alter table client_apps add column created_by uuid references users on delete set null`)
    this.addSql('create index on client_apps (created_by)')
  }
}
