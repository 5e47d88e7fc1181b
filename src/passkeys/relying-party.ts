import { isIP } from 'node:net'

/** Whom passkeys are made for (WebAuthn Level 3, 4): `id` is the domain, `origin` the one of the pages. */
export type RelyingParty = { id: string; origin: string }

type Settings = { BASE_URL: string; PASSKEY_RP_ID: string }

type MethodSettings = Settings & { SIGN_IN_METHODS: readonly string[] }

export function relyingPartyOf({ BASE_URL, PASSKEY_RP_ID }: Settings): RelyingParty {
  const { hostname, origin } = new URL(BASE_URL)
  return { id: PASSKEY_RP_ID || hostname, origin }
}

/** Returns a sentence for each mistake in the settings of passkeys, starting with a variable. */
export function findPasskeyMistakes(settings: MethodSettings): string[] {
  const { PASSKEY_RP_ID: id } = settings
  const { hostname } = new URL(settings.BASE_URL)
  if (settings.SIGN_IN_METHODS.includes('passkey') && isIP(hostname.replace(/^\[|\]$/g, '')) !== 0)
    return [
      'BASE_URL must have a host name instead of an IP address if SIGN_IN_METHODS lists passkey',
    ]
  if (id === '') return []
  const isParent = hostname.endsWith(`.${id}`) && /^[^.]+\./.test(id)
  if (id === hostname || isParent) return []
  const meaning = 'the host of BASE_URL, or a parent domain of it with at least two labels'
  return [`PASSKEY_RP_ID must be ${meaning}`]
}
