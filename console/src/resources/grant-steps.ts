import type { GrantRule } from '../../../src/permissions/engine/grants/grant-rule.ts'

/** The permission or role that a grant gives, or is. */
type GrantTerms = { permission: string | null; role: string | null }

/** A grant in a picture of the ways to a resource. */
type GrantStep = {
  /** Whether the grant is of all members of the workspace. */
  isOfWorkspace: boolean
  describe(grant: GrantTerms): string
}

const share: GrantStep = {
  isOfWorkspace: false,
  describe: ({ permission, role }) => `share: ${permission ?? role}`,
}

/** The step of a grant, by its rule. */
export const grantSteps: Record<GrantRule, GrantStep> = {
  owner: { isOfWorkspace: false, describe: () => 'owner' },
  workspace_role: { isOfWorkspace: true, describe: ({ role }) => role ?? '' },
  workspace_visibility: { isOfWorkspace: true, describe: () => 'visible to all' },
  public: { isOfWorkspace: false, describe: () => 'public' },
  custom_role: { isOfWorkspace: false, describe: ({ role }) => `role ${role}` },
  share,
  group_share: share,
  link: { isOfWorkspace: false, describe: () => 'link' },
}

/** Whether a reason is a grant, and not the reason of a denial. */
export function isGrantRule(rule: string): rule is GrantRule {
  return Object.hasOwn(grantSteps, rule)
}
