import { findCentralMistakes } from '../config/central-rules.ts'
import { ConfigError, parseSettings } from '../config/config.ts'
import type { SettingsOf } from '../config/setting.ts'
import { centralSettings } from '../config/settings.ts'
import { joinTables } from './feature.ts'
import { features } from './features.ts'

/** All settings, by the names of their environment variables. */
export const settings = joinTables([
  centralSettings,
  ...features.flatMap((feature) => ('settings' in feature ? [feature.settings] : [])),
])

/** The values of all settings, by the names of their environment variables. */
export type Config = SettingsOf<typeof settings>

/**
 * Reads the settings from an environment.
 *
 * @throws {ConfigError} with all mistakes
 */
export function readConfig(environment: Record<string, string | undefined>): Config {
  const { values, mistakes } = parseSettings(settings, environment)
  const defaultHost = values.DEBUG ? '127.0.0.1' : '0.0.0.0'
  const config = {
    ...values,
    HTTP_HOST: values.HTTP_HOST || defaultHost,
    GRPC_HOST: values.GRPC_HOST || defaultHost,
  }
  mistakes.push(
    ...features.flatMap((feature) =>
      'findMistakes' in feature ? feature.findMistakes(config) : [],
    ),
    ...findCentralMistakes(config),
  )
  if (mistakes.length > 0) throw new ConfigError(mistakes.join('\n'))
  return config
}
