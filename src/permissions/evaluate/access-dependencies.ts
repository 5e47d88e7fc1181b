import type { NoteDelegationUse } from '../../identity/note-delegation-use.ts'
import type { Engine } from '../engine/engine.ts'
import type { SubjectNames } from './subject-table.ts'

/** The dependencies of the Access API handlers. */
export type AccessDependencies = SubjectNames & {
  engine: Engine
  noteDelegationUse: NoteDelegationUse
}
