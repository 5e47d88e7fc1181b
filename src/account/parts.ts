import { accountHandlers } from './handlers.ts'

/** What the account page runs. */
export const parts = { createHandlers: () => accountHandlers }
