import { quota, type SettingsOf } from '../config/setting.ts'

/** The settings of links. */
export const linkSettings = {
  MAX_LINKS_PER_RESOURCE: quota(100, 'Maximum number of links to a resource.'),
}

export type LinkSettings = SettingsOf<typeof linkSettings>
