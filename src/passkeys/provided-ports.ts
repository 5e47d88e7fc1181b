import type { UserPasskeys } from '../admin/ports.ts'
import type { PasskeyStore } from './store/passkey-store.ts'
import { viewPasskey } from './view.ts'

type Stores = { passkeys: PasskeyStore }

/** What passkeys tell the features below. */
export const passkeyPorts = {
  userPasskeys: ({ passkeys }: Stores): UserPasskeys => ({
    list: async (userId) => (await passkeys.list(userId)).map(viewPasskey),
  }),
}
