import { positiveNumber } from './parsers.ts'

/** The sections of docs/configuration.md, in their order. */
export const settingGroups = [
  'Storage',
  'Listening',
  'Addresses and browsers',
  'Security',
  'Tokens',
  'Behavior',
  'Quotas',
  'Rate limits',
  'Identity providers',
  'Logs and traces',
  'Development',
] as const

export type SettingGroup = (typeof settingGroups)[number]

/**
 * A setting: its default (used if the variable is unset or empty), its parser and its
 * documentation.
 */
export type Setting<Value = unknown> = {
  group: SettingGroup
  fallback: string
  parse: (text: string) => Value
  description: string
}

/** Settings by the names of their environment variables. */
export type SettingTable = Record<string, Setting>

/** The values of the settings in a table. */
export type SettingsOf<Table extends SettingTable> = {
  [Name in keyof Table]: ReturnType<Table[Name]['parse']>
}

export function setting<Value>(
  group: SettingGroup,
  fallback: string,
  parse: (text: string) => Value,
  description: string,
): Setting<Value> {
  return { group, fallback, parse, description }
}

export function quota(fallback: number, description: string): Setting<number> {
  return setting('Quotas', String(fallback), positiveNumber, description)
}
