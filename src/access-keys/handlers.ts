import type { Database } from '../database/database.ts'
import {
  createSubjectNames,
  type SubjectNamesDependencies,
} from '../permissions/evaluate/subject-names.ts'
import { createGetAccessKeys } from './get-access-keys.ts'
import { createLoadHoldings } from './store/holdings.ts'
import type { WatchAccessHandler } from './watch/watch-access.ts'

type Dependencies = SubjectNamesDependencies & {
  database: Pick<Database, 'reads'>
  watchAccess: WatchAccessHandler
}

/** Creates the handlers of access keys. */
export function createAccessKeyHandlers(dependencies: Dependencies) {
  const naming = createSubjectNames(dependencies)
  const loadHoldings = createLoadHoldings(dependencies.database.reads)
  return {
    PermissionService: {
      getAccessKeys: createGetAccessKeys({ naming, loadHoldings }),
      watchAccess: dependencies.watchAccess,
    },
  }
}
