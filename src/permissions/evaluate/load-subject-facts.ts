import type { LoadSubjectFacts } from '../decision.ts'
import type { LoadKeyedEvaluations } from './load-evaluations.ts'

/**
 * Creates a function that loads the status of a service key and the facts of checks with one
 * statement. The resources of checks depend on the service of the key, so the checks are prepared
 * for the service of its previous call. If the statement returns another service, they are prepared
 * and loaded again: a wrong assumption costs time but never changes the result. For a key that has
 * not been valid before, the status is loaded first, so that unauthenticated callers cause no
 * further work.
 */
export function createLoadSubjectFacts(
  load: LoadKeyedEvaluations,
  areKeysRequired: boolean,
): LoadSubjectFacts {
  /** The services of valid keys, by the hash of the key. */
  const services = new Map<string, string>()
  let isDevelopmentMode = false

  return async (keyHash = '', prepare, scope) => {
    const known = services.get(keyHash)
    let assumed = known !== undefined || isDevelopmentMode ? { name: known } : undefined
    for (;;) {
      const prepared = assumed && (await prepare(assumed))
      const checks = prepared?.checks ?? []
      const { service, keysRequired, facts } = await load({ keyHash, checks }, scope)
      const status = { ...noUser, service, keysRequired }
      if (service === undefined) services.delete(keyHash)
      else services.set(keyHash, service)
      isDevelopmentMode = !areKeysRequired && !keysRequired
      if (!isDevelopmentMode && service === undefined) return { status }
      const current = { name: isDevelopmentMode ? undefined : service }
      if (prepared && assumed?.name === current.name)
        return { status, respond: () => prepared.respond(facts) }
      assumed = current
    }
  }
}

const noUser = { tokenDenied: false, userActive: false, userAdmin: false, role: undefined }
