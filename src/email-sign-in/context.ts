import type { RequestContext } from '../core/request-context.ts'
import type { IdentityContext, IdentityStores } from '../identity/identity-dependencies.ts'
import type { EnforcementStore } from '../identity/store/enforcement-store.ts'
import type { MacOfCode } from './code.ts'
import type { SignInCodeStore } from './store/sign-in-code-store.ts'

/** The context of the handlers of codes by e-mail. */
export type EmailSignInContext = Omit<IdentityContext, 'stores'> &
  RequestContext<
    IdentityStores & { enforcements: EnforcementStore; signInCodes: SignInCodeStore }
  > & { macOfCode: MacOfCode }
