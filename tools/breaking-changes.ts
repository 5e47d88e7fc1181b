/**
 * The incompatible changes since the last release, in the words of buf. They change generated code,
 * but neither JSON nor the wire format. A release empties this list.
 */
export const acceptedChanges: string[] = [
  changeRequest('AdminService', 'DeleteWorkspace', 'WorkspaceRequest'),
  changeRequest('AdminService', 'DeleteGroup', 'GroupRequest'),
  changeRequest('AdminService', 'DeleteRole', 'RoleRequest'),
  changeRequest('AdminService', 'ListRoleMembers', 'RoleRequest'),
  changeRequest('GroupService', 'DeleteGroup', 'GroupRequest'),
  changeRequest('WorkspaceService', 'DeleteWorkspace', 'WorkspaceRequest'),
  // Absent if a page is displayed.
  'Field "1" with name "location" on message "BeginLoginResponse" changed cardinality from "optional with implicit presence" to "optional with explicit presence".',
  // Absent for a service account, and empty for token exchange without a resource.
  'Field "6" with name "scope" on message "OAuthTokenResponse" changed cardinality from "optional with implicit presence" to "optional with explicit presence".',
]

function changeRequest(service: string, method: string, before: string): string {
  const [from, to] = [before, `${method}Request`].map((name) => `"daikon.v1.${name}"`)
  return `RPC "${method}" on service "${service}" changed request type from ${from} to ${to}.`
}

type Change = { path: string; start_line?: number; message: string }

/**
 * Returns the problems in the output of `buf breaking --error-format json`: changes that are not
 * accepted, and accepted changes that no longer exist.
 */
export function findBreakingProblems(
  output: string,
  accepted: readonly string[] = acceptedChanges,
): string[] {
  const changes: Change[] = output.split('\n').flatMap((line) => (line ? JSON.parse(line) : []))
  const found = new Set(changes.map(({ message }) => message))
  const refused = changes.filter(({ message }) => !accepted.includes(message))
  const outdated = accepted.filter((message) => !found.has(message))
  return [
    ...refused.map(({ path, start_line, message }) => `${path}:${start_line}: ${message}`),
    ...outdated.map(
      (message) => `tools/breaking-changes.ts accepts what buf does not find: ${message}`,
    ),
  ]
}
