import type { DiscoverIssuerRequest, IssuerConfiguration } from '../../gen/daikon/v1/connections.ts'
import { requireWorkspaceExists } from '../workspaces/workspaces.ts'
import type { ConnectionContext } from './connection-context.ts'
import { requireUsableIssuer } from './connections.ts'

/** The maximum number of scopes or claims that a response contains, and of characters of each. */
const maxNames = 100
const maxNameLength = 200

/** Returns what an issuer publishes, or fails as creating a connection to it would. */
export async function discoverIssuer(
  { stores, connectionProviders }: ConnectionContext,
  { workspace_id, issuer }: DiscoverIssuerRequest,
): Promise<IssuerConfiguration> {
  await requireWorkspaceExists(stores.workspaces, workspace_id)
  const server = await requireUsableIssuer(connectionProviders, issuer, [])
  return {
    issuer,
    authorization_endpoint: server.authorization_endpoint,
    token_endpoint: server.token_endpoint,
    jwks_uri: server.jwks_uri,
    scopes_supported: readNames(server.scopes_supported),
    claims_supported: readNames(server.claims_supported),
  }
}

/** Returns the names in a list of the provider, which can contain anything. */
function readNames(list: unknown): string[] {
  if (!Array.isArray(list)) return []
  const isName = (name: unknown) => typeof name === 'string' && name.length <= maxNameLength
  return list.filter(isName).slice(0, maxNames)
}
