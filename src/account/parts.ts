import { accountHandlers } from './handlers.ts'
import { accountPage } from './page.ts'

/** What the account page runs. */
export const parts = {
  createServices: ({ settings }: { settings: { BASE_URL: string } }) => ({
    accountUrl: `${settings.BASE_URL}${accountPage.path}`,
  }),
  createHandlers: () => accountHandlers,
}
