/** Whom passkeys are made for (WebAuthn Level 3, 4): `id` is the domain, `origin` the one of the pages. */
export type RelyingParty = { id: string; origin: string }

type Settings = { BASE_URL: string; PASSKEY_RP_ID: string }

export function relyingPartyOf({ BASE_URL, PASSKEY_RP_ID }: Settings): RelyingParty {
  const { hostname, origin } = new URL(BASE_URL)
  return { id: PASSKEY_RP_ID || hostname, origin }
}

/** Returns a sentence for each mistake in the settings of passkeys, starting with a variable. */
export function findPasskeyMistakes(settings: Settings): string[] {
  const { PASSKEY_RP_ID: id } = settings
  if (id === '') return []
  const { hostname } = new URL(settings.BASE_URL)
  const isParent = hostname.endsWith(`.${id}`) && /^[^.]+\./.test(id)
  if (id === hostname || isParent) return []
  const meaning = 'the host of BASE_URL, or a parent domain of it with at least two labels'
  return [`PASSKEY_RP_ID must be ${meaning}`]
}
