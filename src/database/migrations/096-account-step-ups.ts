import { Migration } from '@mikro-orm/migrations'

/**
 * Records the sign-ins that the account page asked for. The time equals `authenticated_at`, so that a
 * later sign-in that a node of the previous version records in the same browser session is none of them.
 */
export class AccountStepUps extends Migration {
  override name = '096-account-step-ups'

  override up(): void {
    for (const table of ['browser_sessions', 'authorization_codes', 'refresh_families'])
      this.addSql(`alter table ${table} add column stepped_up_at timestamptz`)
  }
}
