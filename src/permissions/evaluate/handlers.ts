import type { CentralSettings } from '../../config/settings.ts'
import type { NoteDelegationUse } from '../../identity/note-delegation-use.ts'
import type { Engine } from '../engine/engine.ts'
import type { AccessDependencies } from './access-dependencies.ts'
import { createGetAccessConfiguration } from './configuration.ts'
import { createEvaluate, createEvaluateBatch } from './evaluate.ts'
import { createExplainPermission, createListPermissionSubjects } from './permission-subjects.ts'
import { createSearchActions } from './search-actions.ts'
import { createSearchResources } from './search-resources.ts'
import { createSearchSubjects } from './search-subjects.ts'
import { createSubjectNames, type SubjectNamesDependencies } from './subject-names.ts'
import { createWhatIf } from './what-if.ts'

type Dependencies = SubjectNamesDependencies & {
  engine: Engine
  settings: Pick<CentralSettings, 'BASE_URL'>
  noteDelegationUse: NoteDelegationUse
}

/** Creates the handlers that answer questions about any subject. */
export function createAccessHandlers(dependencies: Dependencies) {
  const { engine, settings, noteDelegationUse } = dependencies
  const access: AccessDependencies = {
    engine,
    ...createSubjectNames(dependencies),
    noteDelegationUse,
  }
  return {
    AccessService: {
      evaluate: createEvaluate(access),
      evaluateBatch: createEvaluateBatch(access),
      searchSubjects: createSearchSubjects(access),
      searchResources: createSearchResources(access),
      searchActions: createSearchActions(access),
      getAccessConfiguration: createGetAccessConfiguration(settings.BASE_URL),
    },
    AdminService: {
      explainPermission: createExplainPermission(access),
      whatIf: createWhatIf(access),
      listPermissionSubjects: createListPermissionSubjects(access),
    },
  }
}
