// Copied from clients/typescript/src/access/copy/messages.ts. DO NOT EDIT.

/** A key that a resource accepts. `until` is when it ends, in RFC 3339. */
export type AcceptedKey = {
  holder: string
  level: string
  maybe: boolean
  until?: string | undefined
}

/** What a resource accepts. */
export type AccessResource = {
  resourceType: string
  /** The UUID of the resource. */
  resourceId: string
  externalId: string | undefined
  workspaceId: string
  own: readonly AcceptedKey[]
  inheritsFrom: readonly string[]
  inheritKey: string
  hasChildren: boolean
}

/** A message of WatchAccess. */
export type AccessMessage =
  | { type: 'begin' }
  | { type: 'upsert'; resource: AccessResource }
  | { type: 'remove'; resourceType: string; resourceId: string }
  | { type: 'bookmark'; cursor: string; position: string; complete: boolean }

/** A message of WatchAccess with the names of the API. JSON may omit empty lists and false. */
export type WireMessage = {
  begin?: { generation: string } | undefined
  upsert?:
    | {
        resource_type: string
        resource_id: string
        external_id?: string | undefined
        workspace_id: string
        own?: AcceptedKey[]
        inherits_from?: string[]
        inherit_key: string
        has_children?: boolean
      }
    | undefined
  remove?: { resource_type: string; resource_id: string } | undefined
  bookmark?: { cursor: string; position: string; complete?: boolean } | undefined
}

/** Returns undefined for a message of a newer server. */
export function toAccessMessage({
  begin,
  upsert,
  remove,
  bookmark,
}: WireMessage): AccessMessage | undefined {
  if (upsert) {
    const resource = {
      resourceType: upsert.resource_type,
      resourceId: upsert.resource_id,
      externalId: upsert.external_id,
      workspaceId: upsert.workspace_id,
      own: upsert.own ?? [],
      inheritsFrom: upsert.inherits_from ?? [],
      inheritKey: upsert.inherit_key,
      hasChildren: upsert.has_children ?? false,
    }
    return { type: 'upsert', resource }
  }
  if (remove)
    return {
      type: 'remove',
      resourceType: remove.resource_type,
      resourceId: remove.resource_id,
    }
  if (bookmark) {
    const { cursor, position, complete = false } = bookmark
    return { type: 'bookmark', cursor, position, complete }
  }
  return begin && { type: 'begin' }
}
