import type { DeploymentChecks, ReadRows } from '../core/deployment-checks.ts'
import { relyingPartyOf } from './relying-party.ts'
import { countByRelyingParty } from './store/passkey-store.ts'

/** Returns the check of the domain that passkeys were made for, which an operator may have changed. */
export function createPasskeyChecks(
  readRows: ReadRows,
  settings: { BASE_URL: string; PASSKEY_RP_ID: string },
): DeploymentChecks {
  return {
    passkeys: async () => {
      const { id } = relyingPartyOf(settings)
      const others = (await countByRelyingParty(readRows))
        .filter(({ rpId }) => rpId !== id)
        .map(({ rpId, passkeys }) => `${rpId} (${passkeys})`)
      // Not a failure: the change may be meant, and its reversal brings them back.
      return others.length === 0
        ? `all for ${id}`
        : `passkeys for ${others.join(', ')} sign nobody in, because PASSKEY_RP_ID or BASE_URL is now ${id}`
    },
  }
}
