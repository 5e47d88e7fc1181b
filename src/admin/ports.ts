import type { ApiResource } from '../../gen/daikon/v1/admin_apps.ts'
import type { ExportedScimUser } from '../../gen/daikon/v1/admin_user_data.ts'
import type { Delegation } from '../../gen/daikon/v1/delegations.ts'
import type { Grant } from '../../gen/daikon/v1/grants.ts'
import type { PasskeyResponse } from '../../gen/daikon/v1/users.ts'
import type { Actor } from '../activity/actor.ts'
import type { RequestContext } from '../core/request-context.ts'

/** What administration must know of the features above, as `IdentityPorts`. */
export type AdminPorts = {
  provisionedUsers: ProvisionedUsers
  sentEvents: SentEvents
  serviceAppResources: ServiceAppResources
  userPasskeys: UserPasskeys
  userGrants: UserGrants
  userDelegations: UserDelegations
}

/** What users let agents do. */
export type UserDelegations = {
  /** Returns the delegations of a user, newest first. */
  list(userId: string): Promise<Delegation[]>
  /** Ends the delegations of a user. Requires a transaction. */
  end(actor: Actor, userId: string): Promise<void>
}

/** What users have agreed to. */
export type UserGrants = {
  /** Returns the grants of a user, newest first. */
  list(userId: string): Promise<Grant[]>
}

/** The passkeys of users. */
export type UserPasskeys = {
  /** Returns the passkeys of a user, oldest first. */
  list(userId: string): Promise<PasskeyResponse[]>
}

/** What directories have said about people. */
export type ProvisionedUsers = {
  /** Returns what the directories of all workspaces have said about a user, by workspace. */
  list(userId: string): Promise<ExportedScimUser[]>
}

/** The events that are or were sent to URLs. */
export type SentEvents = {
  /** Removes what matches a pattern from them. Requires a transaction. */
  redact(pattern: string): Promise<void>
}

/** The APIs of service apps that access tokens can be limited to. */
export type ServiceAppResources = {
  /** Returns what finds the APIs of each of these apps. */
  list(appIds: string[]): Promise<(appId: string) => ApiResource[]>
  /**
   * Replaces the APIs of an app, and ends the tokens of those that it loses. Requires a transaction.
   *
   * @throws ServiceError `invalid_argument` or `already_exists`
   */
  replace(context: ResourcesContext, app: ResourcesOwner, resources: ApiResource[]): Promise<void>
}

/** Who changes the APIs of an app. With `debug`, they may have http URIs of this machine. */
export type ResourcesContext = Pick<RequestContext, 'principal' | 'now'> & { debug: boolean }

export type ResourcesOwner = { id: string; name: string; serviceName: string }
