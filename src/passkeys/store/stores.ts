import { PasskeyStore } from './passkey-store.ts'

/** The stores of the feature, by the name under which handlers use them. */
export const passkeyStores = { passkeys: PasskeyStore }
