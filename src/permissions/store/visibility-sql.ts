import type { VisibilitySource } from '../../../gen/daikon/v1/admin_permissions.ts'
import type { Visibility } from '../../database/entities/resources.ts'
import { chainCte } from '../engine/chain.ts'
import { allowsPublic } from '../engine/grants/public-visibility.ts'

/** A visibility that a resource inherits, and the ancestor that has it. */
export type InheritedVisibility = { visibility: Visibility; source: VisibilitySource }

const rankOf = (visibility: string) =>
  `array_position(array['private', 'workspace', 'public'], ${visibility})`

const mayBePublic = allowsPublic({ kindId: 'r.kind_id', workspaceId: 'r.workspace_id' })

/**
 * Selects the InheritedVisibility of the row `r` of `resources`: the widest one, of the nearest
 * ancestor that has it. Null unless it is wider than the resource's own. Reads nothing for resources
 * that inherit from none.
 */
export const widerVisibility = `case when r.inherits and r.parent_id is not null then (
      with recursive ${chainCte('')}
      select json_build_object('visibility', counted.visibility,
        'source', json_strip_nulls(json_build_object('permission_id', a.id,
          'resource_type', ak.resource_type, 'resource_id', a.resource_id,
          'external_id', a.external_id, 'display_name', a.display_name)))
      from chain cross join lateral (
        select case when chain.visibility = 'public' and not (${mayBePublic})
          then 'workspace' else chain.visibility end as visibility
      ) counted
      join resources a on a.id = chain.id join resource_kinds ak on ak.id = a.kind_id
      where chain.depth > 1 and ${rankOf('counted.visibility')} > ${rankOf('r.visibility')}
      order by ${rankOf('counted.visibility')} desc, chain.depth limit 1
    ) end`
