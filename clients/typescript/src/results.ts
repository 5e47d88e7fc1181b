import type { Condition, Permission, Resource, Visibility } from './argument-types.ts'

/** A resource that is registered with daikon. */
export type RegisteredResource<Type extends string = string> = Resource<Type> & {
  /** The UUID that identifies the resource in daikon. It equals `id` if that is a UUID. */
  resourceId: string
  workspaceId: string
  ownerId: string
  /** The name of the owner: only of `get`, and undefined if the owner has none. */
  ownerName: string | undefined
  /** The e-mail address of the owner: only of `get`. */
  ownerEmail: string | undefined
  visibility: Visibility
  /** The parent, identified by its `resourceId`. */
  parent: { type: string; resourceId: string } | undefined
  /** Whether the resource inherits the grants of its parent. */
  inherits: boolean
  /** What conditions read as `resource.attributes`. */
  attributes: Record<string, unknown>
  /** The name for people; undefined if there is none. */
  displayName: string | undefined
  createdAt: Date
  shares: Share[]
  /** What the resource inherits, nearest ancestor first: only of `get`. */
  ancestors: Ancestor[]
  /** The position of the change, which a copy that has reached it contains: only of changes. */
  position?: string | undefined
}

/** An ancestor that a resource inherits from. Its owner, visibility and shares count for the resource. */
export type Ancestor = Pick<
  RegisteredResource,
  | 'type'
  | 'id'
  | 'resourceId'
  | 'displayName'
  | 'ownerId'
  | 'ownerName'
  | 'ownerEmail'
  | 'visibility'
  | 'shares'
>

/** A permission or a role on a resource, granted to a user or a group. */
export type Share = {
  id: string
  grantee: { userId: string } | { groupId: string }
  /** The name of the user or group: only of `shares` and `get`, and undefined if the user has none. */
  granteeName: string | undefined
  /** The e-mail address of the user: only of `shares` and `get`. */
  granteeEmail: string | undefined
  /** Undefined if the share has a role. */
  permission: Permission | undefined
  /** The role of the resource type; undefined if the share has a permission. */
  role: string | undefined
  /** The ID of the user who shared the resource. */
  grantedBy: string
  grantedAt: Date
  /** When the share expires; undefined if it does not. */
  expiresAt: Date | undefined
  /** The condition under which the share counts; undefined if it always counts. */
  condition: Condition | undefined
  /** The position of the change, which a copy that has reached it contains: only of `share` and `shareMany`. */
  position?: string | undefined
}

/**
 * A grant that allows an action, or the reason why the action is denied. Properties that do not
 * apply are absent.
 */
export type Reason = {
  rule:
    | 'owner'
    | 'workspace_role'
    | 'workspace_visibility'
    | 'public'
    | 'share'
    | 'group_share'
    | 'custom_role'
    | 'link'
    | 'user_unknown'
    | 'link_unknown'
    | 'wrong_audience'
    | 'user_inactive'
    | 'not_a_member'
    | 'resource_unknown'
    | 'action_unknown'
    | 'requirement_not_met'
    | 'context_missing'
    | 'condition_failed'
    | 'guest'
    | 'delegation'
    | 'delegation_ended'
    | 'delegation_expired'
    | 'delegation_does_not_cover'
    | 'no_grant'
  /** The permission of a share. */
  permission?: Permission
  /** The role in the workspace, the role of a share, or the name of a custom role. */
  role?: string
  groupId?: string
  shareId?: string
  linkId?: string
  expiresAt?: Date
  /** The condition of a share or link, or the one that is required. */
  condition?: string
  /** With `context_missing`: what the condition needs, such as `context.amount`, sorted. */
  missing?: string[]
  /** The ancestor that the grant is inherited from. */
  inheritedFrom?: { type: string; resourceId: string }
  /** The resource whose requirement is not met: the one that was asked about, or an ancestor. */
  requiredBy?: { type: string; resourceId: string }
  /** The delegation by which an agent asks. */
  delegationId?: string
  /** The agent that asks. */
  agent?: { type: 'service_account' | 'client'; id: string; name: string }
  /** What the delegation does not cover. */
  uncovered?: 'action' | 'type' | 'resource'
}

export type Explanation = { allowed: boolean; reasons: Reason[] }

/** The claims of a verified access token (RFC 7519). */
export type AccessTokenClaims = {
  /** The ID of the user. */
  sub: string
  /** The ID of the token. */
  jti: string
  email: string
  name: string
  /** The ID of the workspace. */
  wid: string
  /** The slug of the workspace. */
  wslug: string
  /**
   * The user's role in the workspace when the token was issued. Use `check` for decisions, not the
   * role.
   */
  wrole: 'viewer' | 'editor' | 'admin' | 'owner'
  /** Whether the user was a guest of the workspace when the token was issued; absent for others. */
  guest?: true
  /** The IDs of the user's groups when the token was issued; absent if there are more than 100. */
  groups?: string[]
  groups_overage?: true
  /** When the user signed in, in seconds since the epoch. Absent for API keys. */
  auth_time?: number
  /**
   * Whether the identity provider did not say when the user signed in. `auth_time` is then when the user
   * came back from it.
   */
  auth_time_unconfirmed?: true
  /** The methods of the sign-in (RFC 8176), as the identity provider reports them. */
  amr?: string[]
  /** The class of the sign-in. */
  acr?: string
  iss: string
  /** `daikon`, or the URI of the API that the token is limited to. */
  aud: string
  /** The client app, if it obtained the token at `/oauth/token`. */
  client_id?: string
  /** The scopes of the token, separated by spaces. */
  scope?: string
  /** The agent that acts for the user (RFC 8693, section 4.1), with its delegation. */
  act?: { sub: string; typ: 'service_account' | 'client' }
  delegation_id?: string
  /**
   * `api_key` for the API key of a service account, of which only `sub`, `wid`, `wslug`, `wrole` and
   * `exp` are known; `resource_access` for a token that is limited to an API, which names no person; `delegated` for a
   * token with which an agent acts for the user.
   */
  type: 'access' | 'api_key' | 'resource_access' | 'delegated'
  /** Seconds since the epoch. */
  iat: number
  /** Seconds since the epoch; `Infinity` for an API key that does not expire. */
  exp: number
}
