import type { Daikon } from './api.ts'
import type { Registration, ShareOptions } from './argument-types.ts'
import {
  nameGrant,
  nameGrantee,
  nameOwner,
  readContext,
  readObject,
  readTerms,
} from './arguments.ts'
import type { Caller, SendOptions } from './caller.ts'
import type { Method } from './connection.ts'
import type { DaikonError } from './errors.ts'
import type {
  RegisterResourceRequest,
  ResourcePermissionResponse,
} from './gen/daikon/v1/permissions.ts'
import { permissionService } from './gen/methods.ts'
import { readResource, readShare } from './records.ts'
import { isUuid } from './resource-id.ts'
import { requireList } from './responses.ts'
import type { RegisteredResource } from './results.ts'

type ResourceOperations = Pick<
  Daikon,
  | 'get'
  | 'register'
  | 'registerMany'
  | 'revoke'
  | 'setAttributes'
  | 'setDisplayName'
  | 'setParent'
  | 'setVisibility'
  | 'share'
  | 'shareMany'
  | 'shares'
  | 'transfer'
  | 'unregister'
>

export function createResourceOperations(caller: Caller): ResourceOperations {
  const { keyOf, send, trySend } = caller

  function registerRequest(registration: Registration): RegisterResourceRequest {
    const { type, id, workspaceId, visibility, parent, attributes, displayName } = registration
    const key = keyOf({ type, id })
    const { resource_type, resource_id } = parent ? keyOf(parent) : key
    return {
      ...key,
      workspace_id: workspaceId,
      ...nameOwner(registration),
      ...(!isUuid(id) && { external_id: id }),
      ...(visibility && { visibility }),
      ...(parent && { parent: { resource_type, resource_id } }),
      ...(attributes && { attributes: readObject('attributes', attributes) }),
      ...(displayName !== undefined && { display_name: displayName }),
    }
  }

  /** Sends a change that returns the resource. */
  async function change<Request>(
    method: Method<Request, ResourcePermissionResponse>,
    request: Request,
    options: SendOptions,
  ): Promise<RegisteredResource> {
    return readResource(await send(method, request, options))
  }

  return {
    async register(registration, options = {}) {
      const request = registerRequest(registration)
      return change(permissionService.register, request, { ...options, retry: true })
    },

    async registerMany(registrations, options = {}) {
      if (registrations.length === 0) return []
      const request = { resources: registrations.map(registerRequest) }
      const { resources, position } = await send(permissionService.registerBatch, request, {
        ...options,
        retry: true,
      })
      return requireList('resources', resources).map((record) =>
        readResource({ ...record, position }),
      )
    },

    async get(resource, options = {}) {
      const request = { ...keyOf(resource), with_names: true, with_ancestors: true }
      return change(permissionService.getResource, request, { ...options, retry: true })
    },

    async unregister(resource, { as: token, context, cascade, ...options } = {}) {
      const request = { ...keyOf(resource), cascade, ...readContext(context) }
      await trySend(permissionService.unregister, request, {
        ...options,
        token,
        retry: true,
        onRepeated: ({ reason }: DaikonError) => reason === 'RESOURCE_NOT_FOUND',
      })
    },

    async share(resource, grantee, grant, { as: token, context, ...options } = {} as ShareOptions) {
      const { expiresAt, condition, ...call } = options
      const request = {
        ...keyOf(resource),
        ...nameGrantee(grantee),
        permission: '',
        ...nameGrant(grant),
        ...readTerms({ expiresAt, condition }),
        ...readContext(context),
      }
      return readShare(
        await send(permissionService.share, request, { ...call, token, retry: true }),
      )
    },

    async shareMany(shares, { as: token, context, ...options } = {}) {
      if (shares.length === 0) return []
      const items = shares.map(({ resource, grantee, grant, ...terms }) => {
        const { grantee_type, grantee_id, ...name } = nameGrantee(grantee)
        return {
          ...keyOf(resource),
          ...(grantee_type === '' ? name : { grantee_type, grantee_id }),
          ...nameGrant(grant),
          ...readTerms(terms),
        }
      })
      const request = { shares: items, ...readContext(context) }
      const granted = await send(permissionService.shareBatch, request, {
        ...options,
        token,
        retry: true,
      })
      const { position } = granted
      return requireList('shares', granted.shares).map((share) => readShare({ ...share, position }))
    },

    async shares(resource, options = {}) {
      const request = { ...keyOf(resource), with_names: true }
      const method = permissionService.getResource
      return (await change(method, request, { ...options, retry: true })).shares
    },

    async revoke(resource, grantee, { as: token, context, ...options } = {}) {
      const request = {
        ...keyOf(resource),
        ...nameGrantee(grantee),
        // Older servers require a permission; none compares it with the share.
        permission: 'view',
        ...readContext(context),
      }
      await trySend(permissionService.revokeShare, request, {
        ...options,
        token,
        retry: true,
        onRepeated: ({ reason }: DaikonError) => reason === 'SHARE_NOT_FOUND',
      })
    },

    async setVisibility(resource, visibility, { as: token, context, ...options } = {}) {
      const request = { ...keyOf(resource), visibility, ...readContext(context) }
      const call = { ...options, token, retry: true }
      return change(permissionService.updateVisibility, request, call)
    },

    async setAttributes(resource, attributes, { as: token, context, ...options } = {}) {
      const request = {
        ...keyOf(resource),
        attributes: readObject('attributes', attributes),
        ...readContext(context),
      }
      const call = { ...options, token, retry: true }
      return change(permissionService.updateAttributes, request, call)
    },

    async setDisplayName(resource, displayName, { as: token, context, ...options } = {}) {
      const request = {
        ...keyOf(resource),
        ...(displayName === null ? { remove_display_name: true } : { display_name: displayName }),
        ...readContext(context),
      }
      const call = { ...options, token, retry: true }
      return change(permissionService.updateResource, request, call)
    },

    async setParent(resource, parent, { as: token, context, inherits, ...options } = {}) {
      const { service_name: _, ...reference } = parent ? keyOf(parent) : keyOf(resource)
      const request = {
        ...keyOf(resource),
        ...(parent ? { parent: reference } : { detach: true }),
        inherits,
        ...readContext(context),
      }
      return change(permissionService.updateParent, request, {
        ...options,
        token,
        // After the first attempt, the user of the token may no longer manage the resource.
        retry: token === undefined,
      })
    },

    async transfer(resource, ownerId, { as: token, context, ...options } = {}) {
      const request = { ...keyOf(resource), owner_id: ownerId, ...readContext(context) }
      return change(permissionService.transferOwnership, request, {
        ...options,
        token,
        // After the first attempt, the user of the token may no longer own the resource.
        retry: token === undefined,
      })
    },
  }
}
