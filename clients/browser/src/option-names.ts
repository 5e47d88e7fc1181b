import type {
  Check,
  CheckOptions,
  DaikonBrowserOptions,
  SignInOptions,
  SignOutOptions,
} from './api.ts'
import { invalidArgument } from './errors.ts'

/** The names of options, by what has them. The types require that every name is listed. */
const known = {
  createDaikonBrowser: namesOf<DaikonBrowserOptions>({
    issuer: 1,
    clientId: 1,
    redirectUri: 1,
    postLogoutRedirectUri: 1,
    service: 1,
    scope: 1,
    storage: 1,
    silentSignIn: 1,
    silentRedirectUri: 1,
    timeoutMs: 1,
    apiOrigins: 1,
    onStepUp: 1,
  }),
  signIn: namesOf<SignInOptions>({
    returnTo: 1,
    prompt: 1,
    workspace: 1,
    provider: 1,
    loginHint: 1,
    maxAge: 1,
    acrValues: 1,
  }),
  signOut: namesOf<SignOutOptions>({ returnTo: 1, redirect: 1 }),
  getAccessToken: ['forceRefresh'],
  'a check': namesOf<CheckOptions>({ context: 1 }),
  canMany: namesOf<Check>({ action: 1, resource: 1, context: 1 }),
}

/**
 * Requires that options have known names: without types, a misspelt `context` would otherwise check
 * without it. `path` precedes the names in the error.
 *
 * @throws InvalidArgumentError
 */
export function requireKnownNames(
  owner: keyof typeof known,
  options: object | undefined,
  path = '',
): void {
  // An event, as in `onClick={daikon.signIn}`, is no options.
  if (options && Object.getPrototypeOf(options) !== Object.prototype) return
  const names = known[owner]
  const fields = Object.keys(options ?? {}).flatMap((name) => {
    if (names.includes(name)) return []
    const nearest = names.find((other) => edits(name.toLowerCase(), other.toLowerCase()) <= 2)
    const advice = nearest === undefined ? '' : `; did you mean ${nearest}?`
    return [{ field: path + name, message: `is not an option of ${owner}${advice}` }]
  })
  if (fields.length > 0) throw invalidArgument(...fields)
}

function namesOf<Options>(names: Record<keyof Options, 1>): string[] {
  return Object.keys(names)
}

/** Returns the number of characters to insert, remove or replace. */
function edits(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, column) => column)
  for (const [index, character] of [...from.slice(0, 64)].entries()) {
    const next = [index + 1]
    for (const [column, other] of [...to].entries()) {
      const replaced = (row[column] ?? 0) + (character === other ? 0 : 1)
      next.push(Math.min(replaced, (row[column + 1] ?? 0) + 1, (next[column] ?? 0) + 1))
    }
    row = next
  }
  return row[to.length] ?? 0
}
