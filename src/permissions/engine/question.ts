import type { PrincipalStatus } from '../../core/caller.ts'
import type { ServicePrincipal } from '../../core/request-context.ts'
import type { ConditionInput } from '../conditions/condition-input.ts'
import type { Agent } from '../conditions/variables.ts'
import type { CallWork } from '../conditions/work.ts'
import type { Membership } from './bits.ts'
import type { ReasonRow } from './statements/reasons.ts'
import type { SubjectId } from './subjects/subject-kind.ts'

/** A resource type of a service. */
export type Kind = { serviceName: string; resourceType: string }

/**
 * Who a question is about. A user is named by one of `userId`, `externalId` and `email`, any other
 * kind of subject by its ID alone. IDs must be UUIDs.
 *
 * @example
 * { email: 'carol@example.com' }
 */
export type Subject = SubjectId & {
  externalId?: string | undefined
  email?: string | undefined
  /** Nobody in particular, who may only view what is public. Excludes all other fields. */
  isAnonymous?: boolean
  /** The ID of the subject's access token. Once it is revoked, every check is denied. */
  tokenId?: string | undefined
  /** Limits the subject to a workspace. Otherwise, its role is the one in the resource's workspace. */
  workspaceId?: string | undefined
}

/** Whether a subject may perform an action on a resource. `resource_id` must be a UUID. */
export type Check = Kind & {
  resourceId: string
  action: string
  /**
   * The ID or slug of a workspace, which the check is about unless the service has registered
   * resources of the type `workspace`. Only with that type.
   */
  workspace?: string
  /** The caller if absent. Checks of the same subject should share the object. */
  subject?: Subject
  /** Whether to load every grant of the subject on the resource, for the reasons. */
  explain?: boolean
  /** What conditions read of the request. Checks of the same request should share the object. */
  input?: ConditionInput | undefined
  /** What is assumed beside the stored facts. Only explanations read it. */
  assumed?: Assumed
  /** The agent that acts for the subject, which conditions read instead of the stored one. */
  agent?: Agent | undefined
}

/** A check of a named subject. */
export type SubjectCheck = Check & { subject: Subject }

/** What is assumed about a subject and a resource beside the stored facts. */
export type Assumed = {
  /** The membership of the subject in the workspace of the resource, instead of the stored one. */
  membership?: Membership
  /** Further grants of the subject on the resource and the ancestors that it inherits from. */
  grants: ReasonRow[]
}

/** Which resources of a kind the caller may perform an action on: a page that begins at `firstId`. */
export type ListQuestion = Kind & {
  action: string
  firstId: string
  limit: number
  /** What conditions read of the request. */
  input?: ConditionInput | undefined
  /** The work that is left for conditions, if the call asks for several lists. */
  work?: CallWork | undefined
}

/**
 * What a handler asks: checks, or a list. Undefined checks are denied without being loaded, so that
 * a handler can ask one check for each item of a request.
 */
export type Questions = ({ checks: (Check | undefined)[] } | { list: ListQuestion }) & {
  /** What the questions follow from, for the handler. Returned with the facts. */
  basis?: unknown
}

/** The service that a question comes from. */
export type AskingService = ServicePrincipal & Partial<Pick<PrincipalStatus, 'routesVersion'>>
