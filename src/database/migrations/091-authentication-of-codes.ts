import { Migration } from '@mikro-orm/migrations'

/**
 * Records with each code how and when its user signed in, and with each session whether the provider
 * reported that time. Nodes of the previous version leave the columns empty: such a time counts as not
 * reported. The columns `acr` of sessions, with values of providers, are not read any more.
 */
export class AuthenticationOfCodes extends Migration {
  override name = '091-authentication-of-codes'

  override up(): void {
    this.addSql(`
      alter table authorization_codes
        add column authenticated_at timestamptz,
        add column is_time_reported boolean not null default false,
        add column amr text[]`)
    this.addSql(`
      alter table refresh_families
        add column is_time_reported boolean not null default false`)
  }
}
