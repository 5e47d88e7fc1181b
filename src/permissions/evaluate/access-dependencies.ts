import type { Statements } from '../../database/statement-pool.ts'
import type { Tokens } from '../../identity/tokens.ts'
import type { LoadAccessible } from '../load-accessible.ts'
import type { LoadEvaluations } from './load-evaluations.ts'
import type { LoadExplanations } from './load-explanations.ts'

/** What the handlers of the Access API work with. */
export type AccessDependencies = {
  statements: Statements
  /** Verifies the access tokens that are subjects. */
  tokens: Pick<Tokens, 'verify'>
  loadAccessible: LoadAccessible
  loadEvaluations: LoadEvaluations
  loadExplanations: LoadExplanations
}
