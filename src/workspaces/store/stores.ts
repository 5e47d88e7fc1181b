import { GroupHierarchyStore } from './group-hierarchy-store.ts'
import { GroupStore } from './group-store.ts'
import { InvitationStore } from './invitation-store.ts'
import { MemberStore } from './member-store.ts'
import { RoleStore } from './role-store.ts'
import { ServiceAccountStore } from './service-account-store.ts'
import { WorkspaceStore } from './workspace-store.ts'

/** The stores of the feature, by the name under which handlers use them. */
export const workspaceStores = {
  groupHierarchy: GroupHierarchyStore,
  groups: GroupStore,
  invitations: InvitationStore,
  members: MemberStore,
  roles: RoleStore,
  serviceAccounts: ServiceAccountStore,
  workspaces: WorkspaceStore,
}
