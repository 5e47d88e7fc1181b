import { hashSecret } from '../identity/secret.ts'
import type { LinkLookups } from './engine/searches/link-lookups.ts'

/** Creates the function that finds a link by its token. Calls `onUsed` with the ID. */
export function createFindLink(lookups: LinkLookups, onUsed: (id: string) => void) {
  return async (token: string): Promise<string | undefined> => {
    if (!token.startsWith('dl_')) return undefined
    const id = await lookups.findLink(hashSecret(token))
    if (id !== undefined) onUsed(id)
    return id
  }
}
