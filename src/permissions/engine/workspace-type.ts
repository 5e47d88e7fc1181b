/** The resource type that names workspaces themselves. Services cannot register it. */
export const workspaceType = 'workspace'
