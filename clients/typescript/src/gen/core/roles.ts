// Copied from src/core/roles.ts by `npm run generate`. DO NOT EDIT.

/** Workspace roles, from lowest to highest. */
export const roles = ['viewer', 'editor', 'admin', 'owner'] as const

export type Role = (typeof roles)[number]

/** Whether `role` is `least` or higher. */
export function atLeast(role: Role, least: Role): boolean {
  return roles.indexOf(role) >= roles.indexOf(least)
}
