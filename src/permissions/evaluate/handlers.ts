import type { CentralSettings } from '../../config/settings.ts'
import type { FindApiKey } from '../../identity/api-keys.ts'
import type { NoteDelegationUse } from '../../identity/note-delegation-use.ts'
import type { ResourceServices } from '../../identity/ports.ts'
import type { TokenMemory } from '../../identity/token-memory.ts'
import type { Tokens } from '../../identity/tokens.ts'
import { createVerifyAccessToken } from '../../identity/user-tokens.ts'
import type { Engine } from '../engine/engine.ts'
import type { FindLink } from '../find-link.ts'
import type { AccessDependencies } from './access-dependencies.ts'
import { createGetAccessConfiguration } from './configuration.ts'
import { createEvaluate, createEvaluateBatch } from './evaluate.ts'
import { createExplainPermission, createListPermissionSubjects } from './permission-subjects.ts'
import { createSearchActions } from './search-actions.ts'
import { createSearchResources } from './search-resources.ts'
import { createSearchSubjects } from './search-subjects.ts'
import { createWhatIf } from './what-if.ts'

type Dependencies = {
  engine: Engine
  findApiKey: FindApiKey
  tokenMemory: TokenMemory
  tokens: Tokens
  resourceServices: ResourceServices
  now: () => Date
  settings: Pick<CentralSettings, 'BASE_URL'>
  findLink: FindLink
  noteDelegationUse: NoteDelegationUse
}

/** Creates the handlers that answer questions about any subject. */
export function createAccessHandlers(dependencies: Dependencies) {
  const { engine, findApiKey, tokenMemory, tokens, resourceServices, now } = dependencies
  const { settings, findLink, noteDelegationUse } = dependencies
  const userTokens = { memory: tokenMemory, tokens, resourceServices }
  const access: AccessDependencies = {
    engine,
    findApiKey,
    verifyAccessToken: createVerifyAccessToken(userTokens, now),
    findLink,
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
