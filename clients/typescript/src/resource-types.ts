import type { ActionOf, ActionsByType, CallOptions, TypeOf } from './argument-types.ts'
import { requireType } from './arguments.ts'
import type { Caller } from './caller.ts'
import type { DaikonError } from './errors.ts'
import type { ResourceType } from './gen/daikon/v1/permissions.ts'
import { permissionService } from './gen/methods.ts'
import { requireList, requireText } from './responses.ts'

/** The actions that every resource type has. */
export type BuiltInAction = 'view' | 'edit' | 'manage'

/** A role that shares and links of a type can name. */
export type RoleDeclaration<Action extends string = string> = {
  name: string
  description?: string | undefined
  /** `view`, `edit`, `manage` and actions that your service has registered. */
  actions: (Action | BuiltInAction)[]
}

/** A condition that shares, links and requirements of a type can name. */
export type ConditionDeclaration = {
  name: string
  description?: string | undefined
  /** An expression in CEL. */
  expression: string
  /** The types of the parameters by name, such as `{ until: 'timestamp' }`. */
  parameters?: Record<string, string> | undefined
}

/** A condition that must be true for an action, whatever grants it. */
export type Requirement<Action extends string = string> = {
  action: Action | BuiltInAction
  condition: string
  /**
   * Whether it also binds everything that inherits from a resource of the type. The condition is then
   * judged with that resource. Defaults to false.
   */
  inherited?: boolean | undefined
}

/**
 * What a service declares about a resource type. What is absent is empty. Resources below one of the
 * type inherit its roles, so that a role may contain the actions of other types.
 */
export type TypeDeclaration<
  AnyAction extends string = string,
  Action extends string = AnyAction,
> = {
  description?: string | undefined
  /** Whether resources of the type may be public. */
  allowPublic?: boolean | undefined
  roles?: readonly RoleDeclaration<AnyAction>[] | undefined
  conditions?: readonly ConditionDeclaration[] | undefined
  requirements?: readonly Requirement<Action>[] | undefined
}

/** A declared resource type. */
export type DeclaredType = {
  type: string
  description: string
  allowPublic: boolean
  roles: { name: string; description: string; actions: string[] }[]
  conditions: {
    name: string
    description: string
    expression: string
    parameters: Record<string, string>
  }[]
  requirements: Required<Requirement>[]
  /** With `dryRun`: what uses the current declaration. Otherwise undefined. */
  uses: TypeUses | undefined
}

/** The number of resources of a type, and of the shares and links by role and by condition. */
export type TypeUses = {
  resources: number
  roles: Record<string, number>
  conditions: Record<string, number>
  /** The resources that inherit from one of the type, if a requirement of the new declaration is inherited. */
  resourcesBelow?: number
}

export type DeclareOptions = CallOptions & {
  /** Changes nothing, and returns what uses the current declaration. */
  dryRun?: boolean | undefined
}

/** The operations on actions and resource types of the service. */
export type TypeOperations<Actions extends ActionsByType = ActionsByType> = {
  /** Registers actions in addition to `view`, `edit` and `manage`. Existing ones are kept. */
  registerActions(
    actions: readonly (
      | ActionOf<Actions>
      | { name: ActionOf<Actions>; description?: string | undefined }
    )[],
    options?: CallOptions,
  ): Promise<void>
  /**
   * Replaces the declaration of a resource type as a whole. Fails with `already_exists` if shares or
   * links use what it would remove.
   *
   * @example
   * await daikon.declareType('issue', { roles: [{ name: 'triage', actions: ['view', 'label'] }] })
   */
  declareType<Type extends TypeOf<Actions>>(
    type: Type,
    declaration: TypeDeclaration<ActionOf<Actions>, Actions[Type]>,
    options?: DeclareOptions,
  ): Promise<DeclaredType>
  /** Returns the declared resource types of the service. */
  resourceTypes(options?: CallOptions): Promise<DeclaredType[]>
  /** Removes the declaration of a resource type, which nothing may use. */
  deleteType(type: string, options?: CallOptions): Promise<void>
}

export function createTypeOperations({ service, send, trySend }: Caller): TypeOperations {
  return {
    async registerActions(actions, options = {}) {
      const request = {
        service_name: service,
        actions: actions.map((action) => (typeof action === 'string' ? { name: action } : action)),
      }
      await send(permissionService.registerActions, request, { ...options, retry: true })
    },

    async declareType(type, declaration, { dryRun, ...options } = {}) {
      requireType(type)
      const {
        description,
        allowPublic,
        roles = [],
        conditions = [],
        requirements = [],
      } = declaration
      const request = {
        service_name: service,
        resource_type: type,
        description,
        allow_public: allowPublic,
        roles: roles.map((role) => ({ ...role, actions: [...role.actions] })),
        conditions: [...conditions],
        requirements: [...requirements],
        dry_run: dryRun,
      }
      return readType(
        await send(permissionService.putResourceType, request, { ...options, retry: true }),
      )
    },

    async resourceTypes(options = {}) {
      const request = { service_name: service }
      const { types } = await send(permissionService.listResourceTypes, request, {
        ...options,
        retry: true,
      })
      return requireList('types', types).map(readType)
    },

    async deleteType(type, options = {}) {
      requireType(type)
      const request = { service_name: service, resource_type: type }
      await trySend(permissionService.deleteResourceType, request, {
        ...options,
        retry: true,
        onRepeated: ({ reason }: DaikonError) => reason === 'RESOURCE_TYPE_NOT_FOUND',
      })
    },
  }
}

function readType(declared: ResourceType): DeclaredType {
  const { resource_type, description, allow_public, roles, conditions, requirements } = declared
  const { resources, resources_below, roles_used = {}, conditions_used = {} } = declared
  return {
    type: requireText('resource_type', resource_type),
    description,
    allowPublic: allow_public,
    roles,
    conditions: conditions.map(({ parameters = {}, ...condition }) => ({
      ...condition,
      parameters,
    })),
    // A server without inherited requirements does not send the member.
    requirements: requirements.map(({ inherited = false, ...one }) => ({ ...one, inherited })),
    uses:
      resources === undefined
        ? undefined
        : {
            resources,
            roles: roles_used,
            conditions: conditions_used,
            ...(resources_below !== undefined && { resourcesBelow: resources_below }),
          },
  }
}
