import type {
  ConnectionDomainResponse,
  ConnectionResponse,
} from '../../gen/daikon/v1/connections.ts'
import { createEntityTag } from '../core/entity-tag.ts'
import { isoTime } from '../database/sql-values.ts'
import { connectionName } from '../identity/providers/connection.ts'
import { txtValue } from './domain-proof.ts'
import type { ConnectionDomain } from './store/connection-domain-store.ts'
import type { StoredConnection } from './store/connection-store.ts'

/** Returns a connection without its secret. */
export function toResponse(
  connection: StoredConnection,
  domains: ConnectionDomain[],
  baseUrl: string,
): ConnectionResponse {
  const { id, mapping, lastSignInAt } = connection
  const { roleClaim, groupsClaim, roles, groups } = mapping
  return {
    id,
    workspace_id: connection.workspaceId,
    name: connection.name,
    issuer: connection.issuer,
    client_id: connection.clientId,
    redirect_uri: `${baseUrl}/auth/callback/${connectionName(id)}`,
    scopes: connection.scopes,
    domains: domains.map(toDomainResponse),
    default_role: connection.defaultRole,
    is_active: connection.isActive,
    enforced: connection.enforced,
    break_glass: connection.breakGlass,
    mapping: {
      ...(roleClaim !== undefined && { role_claim: roleClaim }),
      roles,
      ...(groupsClaim !== undefined && { groups_claim: groupsClaim }),
      groups,
    },
    created_at: isoTime(connection.createdAt),
    ...(lastSignInAt && { last_sign_in_at: isoTime(lastSignInAt) }),
  }
}

/** Like `toResponse`, with the ETag. */
export function toTaggedResponse(
  connection: StoredConnection,
  domains: ConnectionDomain[],
  baseUrl: string,
): ConnectionResponse {
  return { ...toResponse(connection, domains, baseUrl), etag: tagOf(connection, domains) }
}

export function toDomainResponse(domain: ConnectionDomain): ConnectionDomainResponse {
  const { verifiedAt, failingSince, checkedAt } = domain
  return {
    domain: domain.domain,
    txt_host: domain.domain,
    txt_value: txtValue(domain.token),
    ...(verifiedAt && { verified_at: isoTime(verifiedAt) }),
    ...(failingSince && { failing_since: isoTime(failingSince) }),
    ...(checkedAt && { checked_at: isoTime(checkedAt) }),
  }
}

/** The ETag depends neither on the secret nor on sign-ins and proofs. */
export function tagOf(
  { id, secret: _secret, lastSignInAt: _signIn, createdAt: _at, ...settings }: StoredConnection,
  domains: ConnectionDomain[],
): string {
  return createEntityTag(id, { ...settings, domains: domains.map(({ domain }) => domain) })
}

/** Returns the settings that entries of the activity log contain. */
export function describeConnection(connection: StoredConnection, domains: ConnectionDomain[]) {
  return {
    name: connection.name,
    issuer: connection.issuer,
    client_id: connection.clientId,
    domains: domains.map(({ domain }) => domain).join(' '),
    default_role: connection.defaultRole,
    is_active: String(connection.isActive),
    enforced: String(connection.enforced),
    break_glass: String(connection.breakGlass),
  }
}
