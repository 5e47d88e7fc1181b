import type { EventTable } from '../activity/events.ts'

/** The events of codes by e-mail. */
export const emailSignInEvents = {
  'user.sign_in_code_refused': {
    target: 'user',
    detail: ['email'],
    otherDetail: [],
    description:
      'Five wrong codes were typed in a sign-in by e-mail, which ended the code; without target and address unless a user has the address',
    recordedBy: [],
    alsoRecordedBy: 'the server',
  },
} as const satisfies EventTable

type EmailSignInEvents = typeof emailSignInEvents

declare module '../activity/events.ts' {
  interface ActivityEvents extends EmailSignInEvents {}
}
