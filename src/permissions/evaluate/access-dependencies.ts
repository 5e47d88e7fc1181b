import type { Statements } from '../../database/statement-pool.ts'
import type { Tokens } from '../../identity/tokens.ts'
import type { LoadAccessible } from '../load-accessible.ts'
import type { LoadEvaluations } from './load-evaluations.ts'
import type { LoadExplanations } from './load-explanations.ts'

/** The dependencies of the Access API handlers. */
export type AccessDependencies = {
  statements: Statements
  /** Verifies access tokens that requests name as subjects. */
  tokens: Pick<Tokens, 'verify'>
  loadAccessible: LoadAccessible
  loadEvaluations: LoadEvaluations
  loadExplanations: LoadExplanations
}
