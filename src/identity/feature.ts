import { identityEvents } from './events.ts'
import { findIdentityMistakes } from './setting-rules.ts'
import { identitySettings } from './settings.ts'

/** Sign-in, tokens, sessions and signing keys. */
export const identity = {
  name: 'identity',
  needs: ['activity', 'connections', 'scim', 'workspaces'],
  events: identityEvents,
  settings: identitySettings,
  findMistakes: findIdentityMistakes,
} as const
