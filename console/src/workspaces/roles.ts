/** The roles in a workspace with their labels, from the highest to the lowest. */
export const roles = [
  { value: 'owner', label: 'Owner' },
  { value: 'admin', label: 'Admin' },
  { value: 'editor', label: 'Editor' },
  { value: 'viewer', label: 'Viewer' },
]

export function describeRole(role: string): string {
  return roles.find(({ value }) => value === role)?.label ?? role
}
