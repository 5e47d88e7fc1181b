import type { AccessMessage } from './access/copy/messages.ts'
import { toAccessMessage } from './access/copy/messages.ts'
import type { ActionsByType, CallOptions, Subject, TypeOf } from './argument-types.ts'
import { nameSubject, requireAction, requireType } from './arguments.ts'
import type { Caller } from './caller.ts'
import type { Connection } from './connection.ts'
import { closedError } from './errors.ts'
import { permissionService } from './gen/methods.ts'
import { requireList } from './responses.ts'

/** Keys: every holder with every level. */
export type AccessKeyGrant = { holders: string[]; levels: string[] }

/** By which keys a subject may perform an action. */
export type AccessKeys = {
  /** The keys that suffice. */
  grants: AccessKeyGrant[]
  /** The keys with which a check decides. */
  maybeGrants: AccessKeyGrant[]
  /** When a membership of the subject ends, and with it the keys. */
  validUntil: Date | undefined
  position: string
}

export type AccessKeysOptions = CallOptions & {
  /** Returns only keys of this workspace. */
  workspaceId?: string | undefined
}

export type WatchAccessOptions = {
  /** The resource types to follow. Defaults to all of the service. */
  types?: readonly string[] | undefined
  /** Continues after a bookmark. Without it, the stream begins with all resources. */
  cursor?: string | undefined
  /** Ends the iteration when aborted. */
  signal?: AbortSignal | undefined
}

/** What `@daikon-auth/client/access` is built on. */
export type AccessOperations<Actions extends ActionsByType> = {
  /**
   * Returns the last position of the changes that this client has made: `access.waitFor` waits until a copy
   * contains them. Undefined before the first change.
   */
  lastPosition(): string | undefined
  /** Returns by which keys a subject may perform an action on resources of a type. */
  accessKeys<Type extends TypeOf<Actions>>(
    subject: Subject,
    action: Actions[Type],
    type: Type,
    options?: AccessKeysOptions,
  ): Promise<AccessKeys>
  /**
   * Follows what resources accept. It ends with an error when the connection ends; continue with the cursor
   * of the last bookmark. `createAccess` does so.
   */
  watchAccess(options?: WatchAccessOptions): AsyncIterable<AccessMessage>
}

export function createAccessOperations<Actions extends ActionsByType>(
  { send, service, positions }: Caller,
  connection: Connection,
): AccessOperations<Actions> {
  return {
    lastPosition: () => positions.last,

    async accessKeys(subject, action, type, { workspaceId, ...options } = {}) {
      requireAction(action)
      requireType(type)
      const request = {
        service_name: service,
        resource_type: type,
        action,
        subject: nameSubject(subject),
        ...(workspaceId !== undefined && { workspace_id: workspaceId }),
      }
      const found = await send(permissionService.getAccessKeys, request, {
        ...options,
        retry: true,
      })
      return {
        grants: requireList('grants', found.grants),
        maybeGrants: requireList('maybe_grants', found.maybe_grants),
        validUntil: found.valid_until === undefined ? undefined : new Date(found.valid_until),
        position: found.position ?? '',
      }
    },

    async *watchAccess({ types = [], cursor, signal } = {}) {
      if (connection.closed.aborted) throw closedError()
      const stopped = AbortSignal.any([connection.closed, ...(signal ? [signal] : [])])
      const request = {
        service_name: service,
        resource_types: [...types],
        ...(cursor !== undefined && { cursor }),
      }
      for await (const wire of connection.stream(permissionService.watchAccess, request, stopped)) {
        const message = toAccessMessage(wire)
        if (message) yield message
      }
    },
  }
}
