import { quota, type SettingsOf } from '../config/setting.ts'
import { defaultQuotas } from '../core/quotas.ts'

/** The settings of workspaces. */
export const workspaceSettings = {
  MAX_WORKSPACES_PER_USER: quota(
    defaultQuotas.MAX_WORKSPACES_PER_USER,
    'Maximum number of workspaces that a user owns and can create. Invitations do not count.',
  ),
  MAX_MEMBERS_PER_WORKSPACE: quota(
    defaultQuotas.MAX_MEMBERS_PER_WORKSPACE,
    'Maximum number of members of a workspace, including pending invitations.',
  ),
  MAX_PENDING_INVITATIONS_PER_WORKSPACE: quota(
    defaultQuotas.MAX_PENDING_INVITATIONS_PER_WORKSPACE,
    'Maximum number of pending invitations of a workspace: members who have not joined yet.',
  ),
  MAX_GROUPS_PER_WORKSPACE: quota(
    defaultQuotas.MAX_GROUPS_PER_WORKSPACE,
    'Maximum number of groups of a workspace.',
  ),
  MAX_SERVICE_ACCOUNTS_PER_WORKSPACE: quota(
    defaultQuotas.MAX_SERVICE_ACCOUNTS_PER_WORKSPACE,
    'Maximum number of service accounts of a workspace. They do not count as members.',
  ),
}

export type WorkspaceSettings = SettingsOf<typeof workspaceSettings>
