import type { AccessReason } from '../../../gen/daikon/v1/admin_permissions.ts'
import type { Reason } from './reasons.ts'

/** A reason with the names of messages. Members that do not apply are absent. */
export type WireReason = Omit<AccessReason, 'via' | 'missing'> & {
  via?: string[]
  missing?: readonly string[]
}

export function toWireReason({ resourceType, resourceId, ...reason }: Reason): WireReason {
  return {
    ...reason,
    ...(resourceType !== undefined && { resource_type: resourceType }),
    ...(resourceId !== undefined && { resource_id: resourceId }),
  }
}
