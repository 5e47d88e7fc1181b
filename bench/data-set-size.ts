/** The size of the data set. All rows are derived from their index. */
export type Size = { users: number; workspaces: number; resources: number }

/** The size that the goals apply to: 1 M resources, 3.1 M shares, 100,000 users. */
export const fullSize: Size = { users: 100_000, workspaces: 200, resources: 1_000_000 }
/** The size that the growth measurements compare with. */
export const smallSize: Size = { users: 1_000, workspaces: 10, resources: 10_000 }

/**
 * Returns the index of the large workspace's first user, group and resource, and the number of
 * each.
 */
export function largeWorkspaceOf({ users, workspaces }: Size) {
  return {
    workspace: workspaces,
    // Comes after the three readers.
    firstUser: users + 3,
    members: users / 10,
    firstGroup: workspaces * 100,
    groups: users / 100,
    firstResource: 1_000_000_000,
    resources: 1000,
  }
}

/**
 * Returns the last user, workspace and resource. The user is a member of 3,000 groups, and the
 * resource is shared with all of them.
 */
export function groupedMemberOf(size: Size) {
  const { workspace, firstUser, members, firstGroup, groups } = largeWorkspaceOf(size)
  return {
    workspace: workspace + 1,
    user: firstUser + members,
    firstGroup: firstGroup + groups,
    groups: 3000,
    resource: 2_000_000_000,
  }
}
