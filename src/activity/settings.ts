import { flag, optionalNumber } from '../config/parsers.ts'
import { type SettingsOf, setting } from '../config/setting.ts'

/** The settings of the activity log. */
export const activitySettings = {
  ACTIVITY_RECORD_IP: setting(
    'Behavior',
    'true',
    flag,
    'Records the IP address of the client with each entry of the activity log.',
  ),
  ACTIVITY_RETENTION_DAYS: setting(
    'Behavior',
    '',
    optionalNumber,
    'Days after which entries of the activity log are deleted. Empty: never.',
  ),
}

export type ActivitySettings = SettingsOf<typeof activitySettings>
