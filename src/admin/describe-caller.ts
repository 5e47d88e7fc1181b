import type { Principal } from '../core/request-context.ts'

/** Returns who handles the data of a user, for the activity log. */
export function describeCaller({ user, admin, managementApp }: Principal): string {
  if (user) return 'user'
  if (admin) return 'administrator'
  return managementApp ? 'management_app' : 'operator'
}
