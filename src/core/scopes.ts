/** What a management app may do: each area with `:read` or `:write`. */
export const managementScopes = [
  'users',
  'workspaces',
  'permissions',
  'apps',
  'webhooks',
  'activity',
  'stats',
].flatMap((area) => [`${area}:read`, `${area}:write`])

/** Whether scopes include the required one. The scope to write an area includes reading it. */
export function includesScope(scopes: string[], required: string): boolean {
  return scopes.includes(required) || scopes.includes(required.replace(/:read$/, ':write'))
}

/** Returns the scopes of a token of a management app that has `scopes` now. */
export function currentScopes({ scope }: { scope?: string }, scopes: string[]): string[] {
  return scope?.split(' ').filter((name) => includesScope(scopes, name)) ?? scopes
}
