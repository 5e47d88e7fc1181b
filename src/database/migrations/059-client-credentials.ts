import { Migration } from '@mikro-orm/migrations'

/**
 * Binds client apps to service accounts, for which they obtain tokens, and adds their public keys and
 * the assertions that they have used.
 */
export class ClientCredentials extends Migration {
  override name = '059-client-credentials'

  override up(): void {
    this.addSql(`
      alter table client_apps
        add column service_account_id uuid references users on delete set null,
        add column jwks jsonb`)
    this.addSql(`create index client_apps_by_service_account on client_apps (service_account_id)
      where service_account_id is not null`)
    this.addSql(`
      create table used_assertions (
        assertion_hash text primary key,
        expires_at timestamptz not null
      )`)
    this.addSql('create index on used_assertions (expires_at)')
  }
}
