import type { Setting, SettingsOf, SettingTable } from './setting.ts'

/**
 * Thrown if the settings are invalid. The message has one line per mistake, starting with the
 * variable.
 */
export class ConfigError extends Error {}

/**
 * Reads settings from an environment. An unset or empty variable has its default value. `mistakes`
 * has a sentence for each variable that cannot be parsed; its default is used, so that checks that
 * involve several settings can still run.
 */
export function parseSettings<Table extends SettingTable>(
  settings: Table,
  environment: Record<string, string | undefined>,
): { values: SettingsOf<Table>; mistakes: string[] } {
  const mistakes: string[] = []
  const entries = Object.entries<Setting>(settings).map(([name, { fallback, parse }]) => {
    try {
      return [name, parse(environment[name] || fallback)]
    } catch (error) {
      mistakes.push(`${name} ${(error as Error).message}`)
      return [name, parse(fallback)]
    }
  })
  return { values: Object.fromEntries(entries) as SettingsOf<Table>, mistakes }
}
