/** What the server tells the account page (src/account/page.ts). */
export type PageSettings = {
  base_url: string
  client_id: string
  providers: { name: string; title: string }[]
  has_passkeys: boolean
  has_codes: boolean
  has_grants: boolean
  has_delegations: boolean
}

const element = document.querySelector<HTMLMetaElement>('meta[name="daikon-settings"]')

export const settings: PageSettings = JSON.parse(element?.content ?? '{}')

/** Returns the name of a provider for people. */
export function titleOf(provider: string): string {
  if (provider === 'passkey') return 'A passkey'
  if (provider === 'email') return 'A code by e-mail'
  if (provider.startsWith('connection:')) return 'Your organization'
  return settings.providers.find(({ name }) => name === provider)?.title ?? provider
}
