import type { CentralSettings } from '../config/settings.ts'
import { expect, type SettingChecks } from '../core/deployment-checks.ts'
import { isSameSite } from '../core/same-site.ts'
import type { ConsoleSettings } from './settings.ts'

/** A screen of the console takes two to four requests. */
const minAdminLimit = 120

/** Returns the checks of the settings that the console depends on. */
export function createConsoleChecks(settings: ConsoleSettings & CentralSettings): SettingChecks {
  return {
    console: () =>
      expect(
        !settings.CONSOLE_ENABLED || isSameSite(settings.BASE_URL, settings.ADMIN_URL),
        settings.CONSOLE_ENABLED ? 'on the same site as BASE_URL' : 'disabled',
        'ADMIN_URL and BASE_URL are on different sites: browsers do not send the session cookie (SameSite=Strict), so nobody can use the console',
      ),
    'console limits': () => {
      const limit = settings.RATE_LIMIT_ADMIN_PER_MINUTE ?? settings.RATE_LIMIT_PER_MINUTE
      return expect(
        limit >= minAdminLimit || !settings.RATE_LIMIT_ENABLED || !settings.CONSOLE_ENABLED,
        `${limit} requests per minute and administrator`,
        `RATE_LIMIT_ADMIN_PER_MINUTE leaves administrators ${limit} requests per minute, about ${Math.floor(limit / 3)} screens of the console: set it to 300`,
      )
    },
  }
}
