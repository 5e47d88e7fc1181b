import { positiveNumber, text } from '../config/parsers.ts'
import { type SettingsOf, setting } from '../config/setting.ts'

/** The settings of passkeys. */
export const passkeySettings = {
  PASSKEY_RP_ID: setting(
    'Identity providers',
    '',
    text,
    'Domain that passkeys are made for: the host of BASE_URL, or a parent domain of it. Passkeys that were made for another one sign nobody in. Empty: the host of BASE_URL.',
  ),
  MAX_PASSKEYS_PER_USER: setting(
    'Quotas',
    '20',
    positiveNumber,
    'Maximum number of passkeys of a user.',
  ),
}

export type PasskeySettings = SettingsOf<typeof passkeySettings>
