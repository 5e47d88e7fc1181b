import { createConsoleChecks } from './doctor.ts'
import { type ConsoleSettings, consoleSettings } from './settings.ts'

/** The admin console: its pages are in the folder `console` of the repository. */
export const console = {
  name: 'console',
  needs: ['identity'],
  settings: consoleSettings,
  listener: {
    hostSetting: 'HTTP_HOST',
    portSetting: 'CONSOLE_PORT',
    urlSetting: 'ADMIN_URL',
    isEnabled: (settings: ConsoleSettings) => settings.CONSOLE_ENABLED,
  },
  createSettingChecks: createConsoleChecks,
  load: async () => (await import('./parts.ts')).parts,
} as const
