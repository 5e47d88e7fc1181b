import { customRole } from './custom-role.ts'
import type { GrantKind } from './grant-kind.ts'
import { groupRole } from './group-role.ts'
import { groupShare } from './group-share.ts'
import { owner } from './owner.ts'
import { publicVisibility } from './public-visibility.ts'
import { userShare } from './user-share.ts'
import { workspaceRole } from './workspace-role.ts'
import { workspaceVisibility } from './workspace-visibility.ts'

/** Every kind of grant, in the order in which reasons list them. */
export const grantKinds: GrantKind[] = [
  workspaceRole,
  owner,
  workspaceVisibility,
  publicVisibility,
  userShare,
  groupShare,
  customRole,
  groupRole,
]
