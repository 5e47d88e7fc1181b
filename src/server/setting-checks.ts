import type { SettingChecks } from '../core/deployment-checks.ts'
import type { Config } from './config.ts'
import { joinTables } from './feature.ts'
import { allFeatures } from './features.ts'

/** Returns the checks of settings for `daikon doctor` of all features. */
export function createSettingChecks(config: Config): SettingChecks {
  return joinTables(
    allFeatures.map(({ createSettingChecks }) => createSettingChecks?.(config as never) ?? {}),
  )
}
