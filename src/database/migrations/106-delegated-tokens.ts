import { Migration } from '@mikro-orm/migrations'

/**
 * Ends delegated tokens with the token of the user that they were issued for, whatever denies it.
 *
 * Tokens are denied in many places, so a trigger does it. Whoever issues a delegated token first takes the
 * exclusive advisory lock that the trigger takes shared, one of 256 by the ID of the user's token. So either the
 * trigger finds the delegated token, or its issuer finds the user's token denied.
 */
export class DelegatedTokens extends Migration {
  override name = '106-delegated-tokens'

  override up(): void {
    this.addSql(`
      create table delegated_tokens (
        token_id uuid primary key,
        subject_token_id uuid not null,
        expires_at timestamptz not null
      )`)
    this.addSql('create index on delegated_tokens (subject_token_id)')
    this.addSql('create index on delegated_tokens (expires_at)')
    this.addSql(`
      create function lock_key_of_subject_token(token_id uuid) returns bigint
      language sql immutable return
        hashtextextended('daikon delegated tokens ' || (hashtext(token_id::text) & 255), 0)`)
    this.addSql(`
      create function deny_delegated_tokens() returns trigger language plpgsql as $$
      declare
        key bigint;
      begin
        for key in select distinct lock_key_of_subject_token(token_id) from changed order by 1 loop
          perform pg_advisory_xact_lock_shared(key);
        end loop;
        -- The trigger fires again for the rows that it inserts, and ends there.
        if exists (select from changed c join delegated_tokens d on d.subject_token_id = c.token_id) then
          insert into denied_tokens (token_id, expires_at)
          select d.token_id, d.expires_at
          from changed c join delegated_tokens d on d.subject_token_id = c.token_id
          on conflict do nothing;
        end if;
        return null;
      end $$`)
    this.addSql(`create trigger deny_delegated_tokens after insert on denied_tokens
      referencing new table as changed for each statement execute function deny_delegated_tokens()`)
    this.addSql('alter table denied_tokens enable always trigger deny_delegated_tokens')
  }
}
