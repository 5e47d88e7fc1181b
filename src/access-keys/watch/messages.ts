import type { WatchAccessResponse } from '../../../gen/daikon/v1/access_keys.ts'
import type { KeyNames } from '../key-names.ts'
import { pairsOf } from '../pairs.ts'
import type { ResourceState } from '../store/resource-state-store.ts'
import type { IsAsked } from './walk.ts'

/**
 * Returns the message that says what a resource accepts. Resources of other types than those asked for
 * count as removed unless they have children.
 */
export function toMessage(
  { resourceType, resourceId, rowId, row }: ResourceState,
  names: KeyNames,
  isAsked: IsAsked,
): WatchAccessResponse {
  const key = { resource_type: resourceType, resource_id: resourceId }
  if (!row || rowId === undefined || !(isAsked(resourceType) || row.isParent))
    return { remove: key }
  return {
    upsert: {
      ...key,
      external_id: row.externalId ?? undefined,
      workspace_id: row.workspaceId,
      own: pairsOf(row).map(({ holder, level, isMaybe, until }) => ({
        holder: names.holder(holder),
        level: names.level(level),
        maybe: isMaybe,
        until: until?.toISOString(),
      })),
      inherits_from: row.ancestorIds.map(names.inheritKey),
      inherit_key: names.inheritKey(rowId),
      has_children: row.isParent,
    },
  }
}
