import type { IdentitySettings } from '../identity/settings.ts'
import { createChallenges } from './challenges.ts'
import type { PasskeyServices } from './context.ts'
import { createPasskeyChecks } from './doctor.ts'
import { passkeyHandlers } from './handlers.ts'
import { relyingPartyOf } from './relying-party.ts'
import type { PasskeySettings } from './settings.ts'
import { passkeyStores } from './store/stores.ts'

type Dependencies = {
  settings: PasskeySettings & Pick<IdentitySettings, 'SESSION_SECRET_KEY'> & { BASE_URL: string }
  now: () => Date
}

/** What passkeys run. */
export const parts = {
  stores: passkeyStores,
  createServices: ({ settings, now }: Dependencies): { passkeyServices: PasskeyServices } => ({
    passkeyServices: {
      challenges: createChallenges(settings.SESSION_SECRET_KEY, now),
      relyingParty: relyingPartyOf(settings),
    },
  }),
  createHandlers: () => passkeyHandlers,
  createChecks: createPasskeyChecks,
}
