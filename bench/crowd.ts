import type { Size } from './data-set.ts'

/** The workspace in which there is much of everything: where its parts begin, and how many they are. */
export function crowdOf({ users, workspaces }: Size) {
  return {
    workspace: workspaces,
    // After the three readers.
    firstUser: users + 3,
    members: users / 10,
    firstGroup: workspaces * 100,
    groups: users / 100,
    firstResource: 1_000_000_000,
    resources: 1000,
  }
}
