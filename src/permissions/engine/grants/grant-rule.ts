/**
 * The ways in which a subject can come to access a resource, as reasons name them. What says or does
 * something about every rule is a `Record` of them, which does not compile while one is missing.
 */
export type GrantRule =
  | 'workspace_role'
  | 'owner'
  | 'workspace_visibility'
  | 'public'
  | 'share'
  | 'group_share'
  | 'custom_role'
  | 'link'
