import type { ChangeOptions, Context, Resource } from '../argument-types.ts'
import { requireResource } from '../arguments.ts'
import { NotFoundError, PermissionDeniedError, UnauthenticatedError } from '../errors.ts'
import type { AccessTokenClaims } from '../results.ts'
import { withAdvice } from '../server-errors.ts'
import { decide, isOwner } from './decide.ts'
import { type FakeResource, type FakeState, findRole, resourceKey } from './state.ts'
import { tokenSubject, userSubject } from './subjects.ts'
import { readFakeToken } from './tokens.ts'

/** The rights of the users who make changes. */
export type FakeRights = {
  /** @throws PermissionDeniedError if the client names another service than the key's */
  requireOwnService(): void
  /** Returns the claims of `as`, which is required. */
  requireUser(as: string | undefined): AccessTokenClaims
  /** Finds a resource. */
  requireResource(resource: Resource): FakeResource
  /** Finds a resource. If `as` is set, its user must be allowed to manage the resource. */
  requireManageable(resource: Resource, options: ChangeOptions): FakeResource
  /** Requires that the user of `as` may do what a role with `manage` is not enough for. */
  requireOwnership(resource: FakeResource, options: ChangeOptions): void
  /** Requires that the user of `as` may edit the new parent of a resource. */
  requireEditableParent(parent: FakeResource, options: ChangeOptions): void
}

export function createRights(state: FakeState, isRevoked: (token: string) => boolean): FakeRights {
  function requireOwnService() {
    const { service, keyService } = state
    if (service === keyService) return
    const message = withAdvice('OTHER_SERVICE', `The service key is limited to ${keyService}`)
    throw new PermissionDeniedError('OTHER_SERVICE', message)
  }

  function requireUser(as: string | undefined): AccessTokenClaims {
    if (as === undefined) {
      const message = withAdvice('TOKEN_MISSING', 'The access token is missing')
      throw new UnauthenticatedError('TOKEN_MISSING', message)
    }
    const claims = readFakeToken(as)
    if (isRevoked(as) || findRole(state, claims.wid, claims.sub) === undefined) {
      const message = withAdvice('TOKEN_REVOKED', 'The token was revoked')
      throw new UnauthenticatedError('TOKEN_REVOKED', message)
    }
    return claims
  }

  function requireFound(resource: Resource): FakeResource {
    requireResource(resource)
    requireOwnService()
    const found = state.resources.get(resourceKey(state, resource))
    if (!found) throw resourceNotFound()
    return found
  }

  /** Returns why a user may not perform an action; undefined if the action is allowed. */
  function findDenial(
    claims: AccessTokenClaims,
    action: 'edit' | 'manage',
    resource: FakeResource,
    context: Context | undefined,
  ) {
    const subject = tokenSubject(state, claims)
    const { type } = resource
    const { allowed, reasons } = decide(state, { subject, action, type, resource, context })
    if (allowed) return undefined
    const [{ rule, condition } = { rule: 'no_grant' }] = reasons
    // The denials of the user come first.
    if (rule.startsWith('delegation_')) {
      const message = 'The delegation has ended or does not cover this'
      const error = new PermissionDeniedError('DELEGATION_DOES_NOT_COVER', message)
      return { isUnmet: true, isUncovered: true, error } as const
    }
    if (rule !== 'requirement_not_met') return { isUnmet: false, isUncovered: false } as const
    const message = `${action} requires the condition ${condition}, which is not met`
    return {
      isUnmet: true,
      isUncovered: false,
      error: new PermissionDeniedError('REQUIREMENT_NOT_MET', message),
    } as const
  }

  function requireManage(resource: FakeResource, { as, context }: ChangeOptions): void {
    if (as === undefined) return
    const denial = findDenial(requireUser(as), 'manage', resource, context)
    if (denial?.isUnmet) throw denial.error
    if (denial)
      throw new PermissionDeniedError(
        'NOT_THE_OWNER',
        "Only the resource's owner, an owner or admin of its workspace, or a user whose role includes manage may do this",
      )
  }

  return {
    requireOwnService,
    requireUser,
    requireResource: requireFound,

    requireManageable(resource, options) {
      requireResource(resource)
      requireOwnService()
      const claims = options.as === undefined ? undefined : requireUser(options.as)
      const found = requireFound(resource)
      if (claims && claims.wid !== found.workspaceId) throw resourceNotFound()
      requireManage(found, options)
      return found
    },

    requireOwnership(resource, options) {
      const { as, context } = options
      if (as === undefined) return
      const claims = requireUser(as)
      const denial = findDenial(claims, 'manage', resource, context)
      if (denial?.isUnmet && !denial.isUncovered) throw denial.error
      if (!isOwner(state, userSubject(state, claims.sub), resource))
        throw new PermissionDeniedError(
          'NOT_THE_OWNER',
          "Only the resource's owner, or an owner or admin of its workspace, may do this",
        )
      if (denial?.isUncovered) throw denial.error
    },

    requireEditableParent(parent, { as, context }) {
      if (as === undefined) return
      const denial = findDenial(requireUser(as), 'edit', parent, context)
      if (denial?.isUnmet) throw denial.error
      if (denial)
        throw new PermissionDeniedError(
          'PARENT_NOT_EDITABLE',
          'Requires permission to edit the parent',
        )
    },
  }
}

function resourceNotFound(): NotFoundError {
  return new NotFoundError('RESOURCE_NOT_FOUND', 'Resource not found')
}
