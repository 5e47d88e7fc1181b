import type {
  AccessKeyGrant,
  AccessKeys,
  AccessKeysSubject,
  GetAccessKeysRequest,
} from '../../gen/daikon/v1/access_keys.ts'
import { invalidArgument, ServiceError } from '../core/errors.ts'
import type { Principal } from '../core/request-context.ts'
import { reasons as identityReasons } from '../identity/reasons.ts'
import type { DecisionHandler } from '../permissions/decision-handler.ts'
import type { HeldPairs } from '../permissions/engine/grants/access-pairs.ts'
import type { Subject } from '../permissions/engine/question.ts'
import { findSubjectViolations } from '../permissions/evaluate/batch-items.ts'
import { resolveSubject } from '../permissions/evaluate/subject.ts'
import type { SubjectNames } from '../permissions/evaluate/subject-table.ts'
import { findHeldKeys } from './held-keys.ts'
import { createKeyNames, type KeyNames } from './key-names.ts'
import { formatPosition, historyOf } from './position.ts'
import { reasons } from './reasons.ts'
import type { AccessKeySecretStore } from './store/access-key-secret-store.ts'
import type { LoadHoldings } from './store/holdings.ts'

/** The maximum number of holders of an answer. */
export const maxHolders = 20_000

type Stores = { accessKeySecrets: AccessKeySecretStore }

type Dependencies = { naming: SubjectNames; loadHoldings: LoadHoldings }

/** Creates the handler that returns by which keys a subject may perform an action. */
export function createGetAccessKeys({
  naming,
  loadHoldings,
}: Dependencies): DecisionHandler<GetAccessKeysRequest, AccessKeys, Stores> {
  return {
    logLevel: 'debug',
    async handle({ principal, stores }, request) {
      const { service_name: serviceName, resource_type: resourceType, action } = request
      const subject = await findSubject(naming, principal, request.subject)
      if (!subject) return { grants: [], maybe_grants: [] }
      const workspaceId = findWorkspace(subject, request.workspace_id)
      const asked = { serviceName, resourceType, action }
      const holdings = await loadHoldings(subject, asked, workspaceId)
      const { certain, maybe } = findHeldKeys(holdings)
      const count = [...certain, ...maybe].reduce((sum, { holders }) => sum + holders.length, 0)
      if (count > maxHolders) throw new ServiceError(reasons.TOO_MANY_HOLDERS)
      const secret = holdings.secret ?? (await stores.accessKeySecrets.findOrCreate(serviceName))
      const names = createKeyNames(secret)
      const { validUntil, identity, firstRunning } = holdings
      return {
        grants: certain.map((pairs) => nameAll(pairs, names)),
        maybe_grants: maybe.map((pairs) => nameAll(pairs, names)),
        valid_until: validUntil?.toISOString(),
        position:
          identity === null
            ? undefined
            : formatPosition({ history: historyOf(identity), number: firstRunning }),
      }
    },
  }
}

/**
 * Returns the user of the access token, or whom the request names; undefined if it names no one.
 *
 * @throws ServiceError `invalid_argument` for both, `unauthenticated` for neither
 */
async function findSubject(
  naming: SubjectNames,
  principal: Principal,
  named: AccessKeysSubject | undefined,
): Promise<Subject | undefined> {
  const { user } = principal
  if (!named) {
    if (!user) throw new ServiceError(reasons.SUBJECT_REQUIRED)
    if (user.delegation) throw new ServiceError(reasons.DELEGATION_NOT_SUPPORTED)
    return { userId: user.id, workspaceId: user.workspaceId, tokenId: user.token.id }
  }
  if (user)
    throw invalidArgument({ field: 'subject', message: 'must be absent with an access token' })
  const violations = findSubjectViolations(named)
  if (violations.length > 0) throw invalidArgument(...violations)
  const { subject } = await resolveSubject(naming, principal.service, named)
  if (subject?.delegationId !== undefined) throw new ServiceError(reasons.DELEGATION_NOT_SUPPORTED)
  return subject
}

/**
 * Returns the workspace to which the keys are limited, if any.
 *
 * @throws ServiceError `permission_denied` if a token is limited to another one
 */
function findWorkspace({ workspaceId }: Subject, asked: string | undefined): string | undefined {
  if (workspaceId !== undefined && asked !== undefined && asked !== workspaceId)
    throw new ServiceError(identityReasons.OTHER_WORKSPACE)
  return asked ?? workspaceId
}

/** Returns the names of pairs. */
function nameAll({ holders, levels }: HeldPairs, names: KeyNames): AccessKeyGrant {
  return { holders: holders.map(names.holder), levels: levels.map(names.level) }
}
