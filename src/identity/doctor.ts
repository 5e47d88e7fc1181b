import type { DeploymentChecks, ReadRows } from '../core/deployment-checks.ts'
import type { IdentitySettings } from './settings.ts'
import { countIssuers } from './store/account-store.ts'

/** Returns the check of the accounts at OIDC_ISSUER, which an operator may have changed. */
export function createAccountChecks(
  readRows: ReadRows,
  { OIDC_ISSUER: issuer }: Pick<IdentitySettings, 'OIDC_ISSUER'>,
): DeploymentChecks {
  return {
    'oidc accounts': async () => {
      const issuers = await countIssuers(readRows)
      const former = issuers
        .filter((one) => one.issuer !== issuer)
        .map(({ issuer, accounts }) => `${issuer} (${accounts})`)
      // Not a failure: the change may be meant.
      return former.length === 0
        ? 'all of OIDC_ISSUER'
        : `OIDC_ISSUER has changed, so accounts of ${former.join(', ')} sign nobody in`
    },
  }
}
