import { positiveNumber } from '../config/parsers.ts'
import { type SettingsOf, setting } from '../config/setting.ts'

/** The settings of access keys. */
export const accessKeySettings = {
  ACCESS_CHANGES_RETENTION_HOURS: setting(
    'Behavior',
    '24',
    positiveNumber,
    'Hours after which the records of changed resources are deleted. A stream of access keys that continues after a longer interruption begins again.',
  ),
}

export type AccessKeySettings = SettingsOf<typeof accessKeySettings>
