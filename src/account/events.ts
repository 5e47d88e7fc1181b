import type { EventTable } from '../activity/events.ts'

/** The events of the account page. */
export const accountEvents = {
  'user.email_sign_in_changed': {
    target: 'user',
    detail: ['enabled'],
    description: 'A user turned codes by e-mail on or off; `enabled` is `true` or `false`',
    recordedBy: ['setEmailSignIn'],
  },
} as const satisfies EventTable

type AccountEvents = typeof accountEvents

declare module '../activity/events.ts' {
  interface ActivityEvents extends AccountEvents {}
}
