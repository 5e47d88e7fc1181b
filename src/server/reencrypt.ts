import type { Transactional } from '../core/request-context.ts'
import type { SecretBox } from '../core/secret-box.ts'
import { features } from './features.ts'
import type { Stores } from './stores.ts'

/** What this file uses of the parts of a feature. `reencrypt` receives the stores of all features. */
type Reencrypting = {
  createHandlers: unknown
  reencrypt?: (stores: Transactional<Stores>, box: SecretBox) => Promise<number>
}

/** Encrypts the secrets of all features with the first key. Returns how many changed, by feature. */
export async function reencryptSecrets(
  stores: Transactional<Stores>,
  box: SecretBox,
): Promise<Record<string, number>> {
  const changed: Record<string, number> = {}
  for (const { name, load } of features.toReversed()) {
    const { reencrypt }: Reencrypting = await load()
    if (reencrypt) changed[name] = await reencrypt(stores, box)
  }
  return changed
}
