import type { JWK } from 'jose'

/**
 * Finds the key of a provider that `isMatch` accepts. Returns undefined if none or several match.
 */
export type FindKey = (isMatch: (key: JWK) => boolean) => Promise<JWK | undefined>

/**
 * Milliseconds after which the keys are reloaded, so that a key that the provider has removed is no
 * longer accepted.
 */
const maxAge = 300_000

/**
 * The minimum number of milliseconds between reloads, so that forged tokens cannot cause a flood of
 * requests.
 */
const minInterval = 5_000

/**
 * Caches the signing keys of a provider. If no key matches, the keys are reloaded immediately,
 * because the provider may have replaced them. If a reload fails, the previous keys remain in use.
 */
export function createKeySet(
  load: () => Promise<JWK[]>,
  now: () => number = () => performance.now(),
): FindKey {
  let keys: JWK[] | undefined
  let loadedAt = 0
  let reloadedAt = -Infinity
  let loading: Promise<JWK[]> | undefined

  async function loadKeys(): Promise<JWK[]> {
    const startedAt = now()
    try {
      keys = await load()
      loadedAt = startedAt
      return keys
    } catch (error) {
      if (keys) return keys
      throw error
    } finally {
      loading = undefined
    }
  }

  /**
   * Reloads the keys, or returns the previous ones if the last reload was less than `minInterval`
   * ago.
   */
  async function reload(previous: JWK[]): Promise<JWK[]> {
    if (loading) return loading
    if (now() - reloadedAt < minInterval) return previous
    reloadedAt = now()
    loading = loadKeys()
    return loading
  }

  return async (isMatch) => {
    if (!keys) loading ??= loadKeys()
    let current = keys ?? (await (loading as Promise<JWK[]>))
    if (now() - loadedAt >= maxAge) current = await reload(current)
    let matches = current.filter(isMatch)
    if (matches.length === 0) matches = (await reload(current)).filter(isMatch)
    return matches.length === 1 ? matches[0] : undefined
  }
}
