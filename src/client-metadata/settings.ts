import { hostPattern, list } from '../config/parsers.ts'
import { type SettingsOf, setting } from '../config/setting.ts'
import { hostRule } from './host-rules.ts'

/** The settings of clients that are known by their URL. */
export const clientMetadataSettings = {
  CLIENT_METADATA_HOSTS: setting(
    'Addresses and browsers',
    '',
    list(hostRule),
    'Comma-separated host names of clients without registration: their client_id is the URL of a document about them, such as https://app.example.com/client.json. `*` allows every host, .example.com the subdomains of example.com, and ! before a host excludes it. Empty: there are no such clients.',
  ),
  CLIENT_METADATA_ALLOWED_HOSTS: setting(
    'Addresses and browsers',
    '',
    list(hostPattern),
    'Comma-separated host names, IP addresses and CIDR ranges on the private network that documents of clients may be fetched from, among the hosts of CLIENT_METADATA_HOSTS. Private, loopback and link-local addresses are refused otherwise, except loopback if DEBUG is true.',
  ),
}

export type ClientMetadataSettings = SettingsOf<typeof clientMetadataSettings>
