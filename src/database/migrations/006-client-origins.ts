import { Migration } from '@mikro-orm/migrations'

/**
 * Adds the origins of redirect URIs in the form that browsers send: lower case, without a default
 * port.
 */
export class ClientOrigins extends Migration {
  override name = '006-client-origins'

  override up(): void {
    this.addSql(`
      alter table client_redirect_uris add origin text generated always as (
        regexp_replace(
          regexp_replace(lower(substring(uri from '^[^:]+://[^/?#]+')), '^(https://.*):443$', '\\1'),
          '^(http://.*):80$', '\\1')
      ) stored`)
    this.addSql('create index on client_redirect_uris (origin)')
  }
}
