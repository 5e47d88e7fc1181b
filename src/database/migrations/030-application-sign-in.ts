import { Migration } from '@mikro-orm/migrations'

/**
 * Stores what applications expect of a sign-in: the parts of names, and whether a client app signs
 * users in from a popup. Nodes of the previous version ignore these columns.
 */
export class ApplicationSignIn extends Migration {
  override name = '030-application-sign-in'

  override up(): void {
    for (const column of ['given_name', 'family_name'])
      this.addSql(`alter table users add column ${column} text not null default ''`)
    this.addSql('alter table client_apps add column popup_sign_in boolean not null default false')
    // Without the foreign key, the code of a revoked session still names it, so that its ID token
    // identifies the browser session at sign-out.
    this.addSql(`alter table authorization_codes
      drop constraint authorization_codes_family_id_fkey`)
  }
}
