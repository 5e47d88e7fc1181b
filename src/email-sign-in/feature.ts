import { emailSignInEvents } from './events.ts'
import { reasons } from './reasons.ts'
import { findEmailMistakes } from './setting-rules.ts'

/** Sign-in by codes that are sent to people's e-mail addresses. */
export const emailSignIn = {
  name: 'email-sign-in',
  needs: ['activity', 'identity'],
  events: emailSignInEvents,
  signInMethods: [{ name: 'email', path: '/auth/email' }],
  reasons,
  findMistakes: findEmailMistakes,
  load: async () => (await import('./parts.ts')).parts,
} as const
