import { createIdentityKinds, createIdentityVariants } from './credentials/kinds.ts'
import { defaultIdentityPorts } from './default-ports.ts'
import { identityEvents } from './events.ts'
import { reasons } from './reasons.ts'
import { findIdentityMistakes } from './setting-rules.ts'
import { identitySettings } from './settings.ts'

/** Sign-in, tokens, sessions and signing keys. */
export const identity = {
  name: 'identity',
  needs: ['activity'],
  events: identityEvents,
  createCredentialKinds: createIdentityKinds,
  createVariants: createIdentityVariants,
  defaultPorts: defaultIdentityPorts,
  reasons,
  settings: identitySettings,
  findMistakes: findIdentityMistakes,
  load: async () => (await import('./parts.ts')).parts,
} as const
