import type { EventTable } from '../activity/events.ts'

/** The events of passkeys. */
export const passkeyEvents = {
  'user.passkey_added': {
    target: 'user',
    detail: ['passkey_id', 'method'],
    description: 'A user added a passkey, in a session that began by `method`',
    recordedBy: ['createPasskey'],
  },
  'user.passkey_renamed': {
    target: 'user',
    detail: ['passkey_id'],
    description: 'A user renamed a passkey',
    recordedBy: ['updatePasskey'],
  },
  'user.passkey_removed': {
    target: 'user',
    detail: ['passkey_id'],
    description:
      'A user or an administrator removed a passkey, which ended the sessions that it began',
    recordedBy: ['deletePasskey', 'deleteUserPasskey'],
  },
  'user.passkey_counter_regressed': {
    target: 'user',
    detail: ['passkey_id', 'refused'],
    description:
      'The signature counter of a passkey did not grow, so the passkey may have been copied; the sign-in was refused, unless the passkey is made to be copied',
    recordedBy: ['completePasskeySignIn'],
  },
} as const satisfies EventTable

type PasskeyEvents = typeof passkeyEvents

declare module '../activity/events.ts' {
  interface ActivityEvents extends PasskeyEvents {}
}
