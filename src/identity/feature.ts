import { createIdentityKinds } from './credentials/kinds.ts'
import { createServiceAccountVariants } from './credentials/service-account.ts'
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
  createVariants: createServiceAccountVariants,
  reasons,
  settings: identitySettings,
  findMistakes: findIdentityMistakes,
} as const
