/** The roles in a workspace, from most to least. */
export const roles = ['owner', 'admin', 'editor', 'viewer']
