import type { LoadSubjectFacts } from '../decision.ts'
import type { LoadKeyedEvaluations } from './load-evaluations.ts'

/**
 * Creates a function that loads both with one statement. The names of resources depend on the service of
 * the key, so the service of its previous call is assumed. The statement returns the current service and
 * runs again if it is another one: what was assumed affects the time, never the result. For a key that has
 * not been valid before, the status is loaded alone, so that strangers cause no further work.
 */
export function createLoadSubjectFacts(
  load: LoadKeyedEvaluations,
  areKeysRequired: boolean,
): LoadSubjectFacts {
  /** The services of valid keys, by their hash. */
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
