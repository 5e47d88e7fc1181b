/** The routes of administrators, below which those of groups and roles need no workspace. */
const pattern =
  /^\/admin\/(?:workspaces\/(?<workspace>[^/]+)(?<below>.*)|(?<object>(?:groups|roles|names|service-actions|activity|grants|delegations)(?:\/.*)?))$/

/**
 * Returns the URL of the route for members that does the same as a route of administrators in a
 * workspace. Routes outside of `/admin` remain.
 *
 * @throws if the workspace is another one, or members have no such route
 */
export function toMemberUrl(text: string, workspaceId: string): string {
  const url = new URL(text)
  if (!/^\/(auth\/)?admin(\/|$)/.test(url.pathname)) return text
  const { workspace, below = '', object } = pattern.exec(url.pathname)?.groups ?? {}
  const isOther = workspace !== undefined && workspace !== workspaceId
  if (isOther || (workspace === undefined && object === undefined))
    throw new Error(`${url.pathname} is not a route of the workspace`)
  url.pathname = `/workspaces/${workspaceId}${workspace ? below : `/${object}`}`
  // The path names the workspace.
  url.searchParams.delete('workspace_id')
  return url.href
}
