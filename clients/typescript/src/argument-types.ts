/**
 * Whom to check: the user of an access token, the service account of an API key (also accepted as
 * `token`), a user by ID, e-mail address or `external_id`, a group, which may do what every one
 * of its members may do, the holder of a link, a delegation by its ID, or anyone at all.
 */
export type Subject =
  | { token: string }
  | { apiKey: string }
  | { userId: string }
  | { email: string }
  | { externalId: string }
  | { groupId: string }
  | { link: string }
  | { delegation: string }
  | { anonymous: true }

/**
 * The actions of each resource type, such as `{ document: 'view' | 'edit' | 'publish' }`. By default,
 * types and actions are any strings.
 */
export type ActionsByType = Record<string, string>

/** The resource types of `Actions`. */
export type TypeOf<Actions extends ActionsByType> = keyof Actions & string

/** The actions of all resource types of `Actions`. */
export type ActionOf<Actions extends ActionsByType> = Actions[TypeOf<Actions>]

/**
 * A resource of your service. The ID is a UUID or any other string of at most 255 characters. The
 * type `workspace` stands for a workspace of daikon, by its ID or slug.
 */
export type Resource<Type extends string = string> = { type: Type; id: string }

/** The user or group that a resource is shared with; `group` is the name of a group. */
export type Grantee =
  | { userId: string }
  | { email: string }
  | { externalId: string }
  | { groupId: string }
  | { group: string }

/** What conditions read as `context`: an object of JSON values, at most 16 KiB. */
export type Context = Record<string, unknown>

/** A condition that your service declared for the type, with values of its parameters. */
export type Condition = { name: string; params?: Record<string, unknown> | undefined }

/**
 * `private`: only the owner, the people it is shared with, and owners and admins of the workspace
 * have access. `workspace`: every member of the workspace may view it. `public`: everybody may view
 * it, signed in or not; the declaration of its type must allow it. A resource also inherits the grants
 * of its parent.
 */
export type Visibility = 'private' | 'workspace' | 'public'

/** The permission that a share grants. */
export type Permission = 'view' | 'edit'

/** What to grant with a share: a permission, or a role that your service declared for the type. */
export type Grant<Action extends string = string> = (Permission & Action) | { role: string }

/** One check in `checkMany`. */
export type Check<Actions extends ActionsByType = ActionsByType> = {
  [Type in TypeOf<Actions>]: {
    subject: Subject
    action: Actions[Type]
    resource: Resource<Type>
    /** Overrides the `context` of the options. */
    context?: Context | undefined
  }
}[TypeOf<Actions>]

export type CallOptions = {
  /** Cancels the operation, which then fails with a `CancelledError`. */
  signal?: AbortSignal | undefined
  /** The time limit of the operation in milliseconds; overrides `deadlineMs` of the client. */
  deadlineMs?: number | undefined
}

export type CheckOptions = CallOptions & {
  /** What conditions read as `context`. */
  context?: Context | undefined
}

export type ChangeOptions = CallOptions & {
  /**
   * The access token of the user who makes the change. That user must have the permission to
   * `manage` the resource.
   */
  as?: string | undefined
  /** What the conditions that `manage` requires read as `context`. */
  context?: Context | undefined
}

/** The options of a call of any method. */
export type MethodOptions = ChangeOptions & {
  /** Whether to retry the call after `UNAVAILABLE`. Set it only for idempotent calls. */
  retry?: boolean | undefined
}

/** The terms of a share or link. */
export type GrantTerms = {
  /** When it expires. */
  expiresAt?: Date | undefined
  /** The condition under which it counts. By default, it always does. */
  condition?: Condition | undefined
}

/** The options of a change that only users make: `as` is required. */
export type UserChangeOptions = ChangeOptions & { as: string }

export type ShareOptions = UserChangeOptions & GrantTerms

/** One share in `shareMany`. */
export type NewShare<Actions extends ActionsByType = ActionsByType> = {
  [Type in TypeOf<Actions>]: GrantTerms & {
    resource: Resource<Type>
    grantee: Grantee
    grant: Grant<Actions[Type]>
  }
}[TypeOf<Actions>]

export type UnregisterOptions = ChangeOptions & {
  /** Whether to unregister everything below the resource, too. */
  cascade?: boolean | undefined
}

export type ParentOptions = ChangeOptions & {
  /** Whether the resource inherits the grants of its parent. By default, this does not change. */
  inherits?: boolean | undefined
}

export type SubjectsOptions = CheckOptions & {
  /** Whom to list: `user` by default. */
  type?: 'user' | 'group' | undefined
}

export type AccessibleOptions = CheckOptions & {
  /**
   * Restricts the list to the resources of this workspace. By default, it includes every workspace
   * of the subject.
   */
  workspaceId?: string | undefined
}

/** A resource to register. Its owner must be a member of the workspace. */
export type Registration<Type extends string = string> = Resource<Type> & {
  workspaceId: string
  /** Defaults to `private`. */
  visibility?: Visibility | undefined
  /** The resource in the same workspace whose grants this one inherits. */
  parent?: Resource<Type> | undefined
  /** What conditions read as `resource.attributes`: an object of JSON values, at most 4 KiB. */
  attributes?: Record<string, unknown> | undefined
  /** The name for people, at most 255 characters. */
  displayName?: string | undefined
} & ({ ownerId: string } | { ownerEmail: string } | { ownerExternalId: string })
