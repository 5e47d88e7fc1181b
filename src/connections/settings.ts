import { dnsServer, hostPattern, list } from '../config/parsers.ts'
import { type SettingsOf, setting } from '../config/setting.ts'

/** The settings of workspaces' identity providers. */
export const connectionSettings = {
  CONNECTION_ALLOWED_HOSTS: setting(
    'Addresses and browsers',
    '',
    list(hostPattern),
    'Comma-separated host names, IP addresses and CIDR ranges on the private network that may be the identity provider of a connection. Private, loopback and link-local addresses are refused otherwise, except loopback if DEBUG is true.',
  ),
  DNS_SERVERS: setting(
    'Addresses and browsers',
    '',
    list(dnsServer),
    'Comma-separated IP addresses of the DNS servers, each with an optional port such as 10.0.0.2:53, that are asked for the domains and identity providers of connections. Empty: those of the system.',
  ),
}

export type ConnectionSettings = SettingsOf<typeof connectionSettings>
