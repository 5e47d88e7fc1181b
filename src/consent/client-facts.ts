import type { ConsentQuestion } from '../identity/ports.ts'
import { hostOf } from './client-name.ts'
import type { ConsentStore } from './store/consent-store.ts'

/** What a consent depends on. */
export type ClientFacts = {
  /** The host of the client, or of the redirect URI of a registered one. */
  host: string
  metadataHash: string
  isAuthenticated: boolean
}

/** Returns what a consent to the access of a client depends on. */
export async function findClientFacts(
  consents: ConsentStore,
  { client, redirectUri }: Pick<ConsentQuestion, 'client' | 'redirectUri'>,
): Promise<ClientFacts> {
  const { external } = client
  if (external) {
    const { host, metadataHash, isAuthenticated } = external
    return { host, metadataHash, isAuthenticated }
  }
  const { metadataHash, isAuthenticated } = await consents.findRegistration(client.id)
  return { host: hostOf(redirectUri), metadataHash, isAuthenticated }
}
