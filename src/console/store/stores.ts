import { ConsoleClientStore } from './console-client-store.ts'

/** The stores of the feature, by the name under which handlers use them. */
export const consoleStores = {
  consoleClient: ConsoleClientStore,
}
