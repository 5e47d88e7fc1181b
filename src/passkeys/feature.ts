import { passkeyEvents } from './events.ts'
import { passkeyPorts } from './provided-ports.ts'
import { reasons } from './reasons.ts'
import { findPasskeyMistakes } from './relying-party.ts'
import { passkeySettings } from './settings.ts'

/** Passkeys with which people sign in. */
export const passkeys = {
  name: 'passkeys',
  needs: ['activity', 'admin', 'identity'],
  events: passkeyEvents,
  signInMethods: [{ name: 'passkey', path: '/auth/passkey' }],
  ports: passkeyPorts,
  reasons,
  settings: passkeySettings,
  findMistakes: findPasskeyMistakes,
  load: async () => (await import('./parts.ts')).parts,
} as const
