import { flag, port, text } from '../config/parsers.ts'
import { type SettingsOf, setting } from '../config/setting.ts'

/** The settings of the admin console. */
export const consoleSettings = {
  CONSOLE_ENABLED: setting('Listening', 'true', flag, 'Serves the admin console.'),
  CONSOLE_PORT: setting(
    'Listening',
    '9004',
    port,
    'Port of the admin console, on the address HTTP_HOST. 0 picks a free port. Set ADMIN_URL to the URL at which browsers reach it.',
  ),
  GRPC_ADDRESS: setting(
    'Listening',
    '',
    text,
    'Host and port at which services reach the gRPC server, for the examples in the admin console. Empty: the host of BASE_URL with GRPC_PORT.',
  ),
}

export type ConsoleSettings = SettingsOf<typeof consoleSettings>
