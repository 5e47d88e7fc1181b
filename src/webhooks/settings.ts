import { hostPattern, list } from '../config/parsers.ts'
import { type SettingsOf, setting } from '../config/setting.ts'

/** The settings of webhooks. */
export const webhookSettings = {
  WEBHOOK_ALLOWED_HOSTS: setting(
    'Addresses and browsers',
    '',
    list(hostPattern),
    'Comma-separated host names, IP addresses and CIDR ranges on the private network that may receive webhooks. Private, loopback and link-local addresses are refused otherwise, except loopback if DEBUG is true.',
  ),
}

export type WebhookSettings = SettingsOf<typeof webhookSettings>
