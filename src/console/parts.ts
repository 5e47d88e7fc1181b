import { startConsole } from './start-console.ts'

/** What the admin console runs. */
export const parts = {
  createHandlers: () => ({}),
  startServer: startConsole,
}
