import { Migration } from '@mikro-orm/migrations'

/**
 * Creates the tables of passkeys. A passkey is a linked account of the provider `passkey`, whose subject
 * is the ID of the credential, so whatever ends the accounts of a user ends their passkeys. Nodes of the
 * previous version list and unlink it like any other account.
 */
export class Passkeys extends Migration {
  override name = '094-passkeys'

  override up(): void {
    // The method of the session that added an account, if it did not link itself by a verified address.
    this.addSql('alter table linked_accounts add column added_by text')
    this.addSql(`
      create table passkeys (
        account_id uuid primary key references linked_accounts (id) on delete cascade,
        rp_id text not null,
        public_key text not null,
        counter bigint not null,
        is_backup_eligible boolean not null,
        is_backed_up boolean not null,
        transports text[] not null,
        name text not null,
        last_used_at timestamptz
      )`)
    // The name by which authenticators know a user: random, so that it reveals nothing. Both are base64url.
    this.addSql(`
      create table passkey_handles (
        user_id uuid primary key references users on delete cascade,
        handle text not null
      )`)
  }
}
