/** Formats the name of an action for display. */
export function describeAction(action: string): string {
  const title = titles[action]
  if (title) return title
  const [target = '', verb = ''] = action.split('.')
  const words = `${nouns[target] ?? target.replaceAll('_', ' ')} ${verb.replaceAll('_', ' ')}`
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** The names of actions that would be poor English if they were put together. */
const titles: Record<string, string> = {
  'activity.pruned': 'Old events removed',
  'admin.access_refused': 'Console access refused',
  'admin.sign_in_failed': 'Administrator sign-in failed',
  'group.child_added': 'Child group added',
  'group.child_removed': 'Child group removed',
  'group.member_added': 'Member added to a group',
  'group.member_removed': 'Member removed from a group',
  'group.members_added': 'Members added to a group',
  'import.executed': 'CSV file imported',
  'member.expired': 'Membership ended',
  'member.expiry_changed': 'End of a membership changed',
  'member.role_changed': 'Role of a member changed',
  'member.updated': 'Guest access of a member changed',
  'permission.registered': 'Resource registered',
  'permission.share_expired': 'Share expired',
  'permission.share_revoked': 'Share revoked',
  'permission.tree_unregistered': 'Resources unregistered',
  'permission.unregistered': 'Resource unregistered',
  'role.action_added': 'Action added to a role',
  'role.action_removed': 'Action removed from a role',
  'role.group_added': 'Role given to a group',
  'role.group_removed': 'Role taken from a group',
  'role.member_added': 'Role given to a person',
  'role.member_removed': 'Role taken from a person',
  'service_app.ended_key_used': 'Ended service key used',
  'service_app.resources_changed': 'API resources changed',
  'grant.created': 'App connected',
  'grant.extended': 'Access of an app extended',
  'grant.revoked': 'App disconnected',
  'session.browser_ended': 'Browser session ended',
  'session.code_replayed': 'Authorization code replayed',
  'session.refresh_token_reused': 'Refresh token reused',
  'user.account_linked': 'Account linked',
  'user.account_unlinked': 'Account unlinked',
  'user.passkey_added': 'Passkey added',
  'user.passkey_renamed': 'Passkey renamed',
  'user.passkey_removed': 'Passkey removed',
  'user.passkey_counter_regressed': 'Passkey may be copied',
  'user.email_changed': 'E-mail address changed',
  'user.email_sign_in_changed': 'Codes by e-mail turned on or off',
  'user.demoted': 'Administrator rights revoked',
  'user.exported': 'Data of a person exported',
  'user.link_refused': 'Account link refused',
  'user.promoted': 'Administrator rights granted',
  'user.sign_in_code_refused': 'Code by e-mail refused',
  'user.sign_in_failed': 'Sign-in failed',
  'workspace.third_party_clients_changed': 'Unregistered apps allowed or refused',
  'workspace.email_sign_in_changed': 'Codes by e-mail allowed or refused',
}

const nouns: Record<string, string> = {
  admin: 'administrator',
  api_key: 'API key',
  permission: 'resource',
  user: 'person',
}

/** Formats the name of a type of target for display. */
export function describeType(type: string): string {
  return nouns[type] ?? type.replaceAll('_', ' ')
}
