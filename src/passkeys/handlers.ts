import { beginPasskey, createPasskey } from './add-passkey.ts'
import {
  deletePasskey,
  deleteUserPasskey,
  listPasskeys,
  listUserPasskeys,
  updatePasskey,
} from './passkeys.ts'
import { beginPasskeySignIn, completePasskeySignIn, openPasskeyPage } from './sign-in.ts'

/** The handlers of passkeys, by service. */
export const passkeyHandlers = {
  AuthService: { openPasskeyPage, beginPasskeySignIn, completePasskeySignIn },
  UserService: { listPasskeys, beginPasskey, createPasskey, updatePasskey, deletePasskey },
  AdminService: { listUserPasskeys, deleteUserPasskey },
}
