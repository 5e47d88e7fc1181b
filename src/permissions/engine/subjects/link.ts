import { isInLiveWorkspace } from '../../../database/deleted-rows.ts'
import { grant } from '../../access.ts'
import { statusBit } from '../bits.ts'
import { isLive } from '../grants/live-share.ts'
import type { Ctes } from '../statement.ts'
import type { SubjectKind } from './subject-kind.ts'

/** The link `l` has not expired, and its workspace has not been deleted. */
export const liveLink = `${isLive('l')} and ${isInLiveWorkspace('l.workspace_id')}`

/**
 * A link counts as an active user who is a viewer of its workspace, with whom only its resource is
 * shared, without what a viewer may do without a share.
 */
export const link: SubjectKind = {
  idMember: 'linkId',
  tables,
  // No link grants `manage`, although a role can come to contain it. A link that does not exist may not
  // even view what is public.
  ignoredBits: grant.workspace | grant.manage | statusBit.anonymous,
  // A search for what a link opens lists what the link grants, also where everybody may view.
  ignoredInSearches: grant.public,
  rules: {
    share: 'link',
    public: 'public',
    workspace_role: null,
    owner: null,
    workspace_visibility: null,
    group_share: null,
    custom_role: null,
    link: null,
  },
  coverage: null,
  hasRole: false,
  isPlural: false,
  // Changes to links have no record.
  isRemembered: false,
}

function tables(ids: string): Ctes {
  return {
    subject_link: `
  select id, name, kind_id, resource_id, workspace_id, permission, expires_at, condition, params
  from resource_links l where id = any(${ids}) and ${liveLink}`,
    users: `
  select id, null::text as email, null::text as external_id,
    'Anyone with the link' || coalesce(' ' || name, '') as name, true as is_active, false as is_admin,
    null::uuid as workspace_id
  from subject_link`,
    live_members: `
  select id as user_id, workspace_id, 'viewer' as role, false as is_guest,
    null::timestamptz as expires_at
  from subject_link`,
    group_members: `
  select id as group_id, id as user_id, workspace_id, true as is_direct from subject_link where false`,
    shares: `
  select id, kind_id, resource_id, workspace_id, id as user_id, null::uuid as group_id, permission,
    expires_at, condition, params
  from subject_link`,
  }
}
