/** The roles in a workspace with their labels, from the highest to the lowest. */
export const roles = [
  { value: 'owner', label: 'Owner' },
  { value: 'admin', label: 'Admin' },
  { value: 'editor', label: 'Editor' },
  { value: 'viewer', label: 'Viewer' },
]

/** Stands for a viewer who is a guest, where the console or the API lists it among the roles. */
export const guest = { value: 'guest', label: 'Guest' }

export function describeRole(role: string): string {
  return [...roles, guest].find(({ value }) => value === role)?.label ?? role
}
