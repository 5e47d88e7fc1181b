import { Migration } from '@mikro-orm/migrations'

/**
 * Keeps the codes that people sign in with by e-mail, the number of e-mails to an address and of wrong codes
 * of an IP address, and where such codes are refused. Nodes of the previous version ignore it.
 */
export class SignInCodes extends Migration {
  override name = '092-sign-in-codes'

  override up(): void {
    this.addSql(`
      create table sign_in_codes (
        flow_hash text primary key,
        email text not null,
        browser_hash text not null,
        expires_at timestamptz not null,
        next_attempt_at timestamptz,
        attempts int not null default 0,
        code_mac text,
        tries int not null default 0
      )`)
    this.addSql(`
      create index on sign_in_codes (next_attempt_at) where next_attempt_at is not null`)
    this.addSql('create index on sign_in_codes (expires_at)')
    this.addSql(`
      create index on sign_in_codes (flow_hash) where tries >= 5 and code_mac is not null`)
    this.addSql(`
      create table sign_in_code_mails (
        id bigint generated always as identity primary key,
        address_hash text not null,
        browser_hash text not null,
        sent_at timestamptz not null
      )`)
    this.addSql('create index on sign_in_code_mails (address_hash, browser_hash, sent_at)')
    this.addSql('create index on sign_in_code_mails (sent_at)')
    this.addSql(`
      create table wrong_sign_in_codes (
        id bigint generated always as identity primary key,
        network text not null,
        typed_at timestamptz not null
      )`)
    this.addSql('create index on wrong_sign_in_codes (network, typed_at)')
    this.addSql('create index on wrong_sign_in_codes (typed_at)')
    this.addSql('alter table users add column email_sign_in boolean not null default true')
    this.addSql('alter table workspaces add column email_sign_in boolean not null default true')
  }
}
