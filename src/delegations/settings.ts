import { quota, type SettingsOf } from '../config/setting.ts'

/** The settings of delegations. */
export const delegationSettings = {
  MAX_DELEGATIONS_PER_USER: quota(100, 'Maximum number of delegations of a user to agents.'),
}

export type DelegationSettings = SettingsOf<typeof delegationSettings>
