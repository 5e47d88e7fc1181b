import type { ConnectionMapping as MappingMessage } from '../../gen/daikon/v1/connections.ts'
import { type FieldViolation, ServiceError } from '../core/errors.ts'
import { isUuid } from '../core/uuid.ts'
import type { OutboundHosts } from '../outbound/outbound-hosts.ts'
import { type ConnectionMapping, type MappedRole, mappedRoles } from './mapping.ts'
import { reasons } from './reasons.ts'

/** The maximum number of connections of a workspace. */
export const maxConnections = 10

/** Names the place of a connection's secret (core/secret-box.ts). */
export function secretContext(id: string): string {
  return `connections/${id}`
}

const label = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?'
const domainName = new RegExp(`^(?=.{1,253}$)(?:${label}\\.)+(?=[a-z0-9-]*[a-z])${label}$`)

/**
 * Returns a domain name in lower case, or undefined for anything but plain ASCII names with at least
 * two labels, as addresses contain them.
 */
export function readDomain(text: string): string | undefined {
  // Checked before lower-casing, because U+212A (the Kelvin sign) becomes an ASCII k.
  if (!/^[A-Za-z0-9.-]+$/.test(text)) return undefined
  const domain = text.toLowerCase()
  return domainName.test(domain) ? domain : undefined
}

/** Returns why a URL cannot be an issuer. The addresses of names are judged at each request. */
export function findIssuerViolations(issuer: string, hosts: OutboundHosts): FieldViolation[] {
  const violation = (message: string) => [{ field: 'issuer', message }]
  if (!URL.canParse(issuer) || !/^https?:\/\//i.test(issuer))
    return violation('must be an https URL')
  const url = new URL(issuer)
  if (url.username || url.password) return violation('must not contain a user or password')
  if (url.search || url.hash || /[?#]/.test(issuer))
    return violation('must not contain a query or fragment')
  const problem = hosts.findProblem(url)
  return problem ? violation(problem) : []
}

export function findDomainViolations(domains: string[]): FieldViolation[] {
  return domains.flatMap((domain, index) =>
    readDomain(domain) === undefined
      ? [{ field: `domains[${index}]`, message: 'must be a domain name such as example.com' }]
      : [],
  )
}

/** Converts a mapping to its stored form, or returns what is wrong with it. */
export function readMapping(message: MappingMessage): {
  mapping: ConnectionMapping
  violations: FieldViolation[]
} {
  const { role_claim, groups_claim } = message
  const roles = Object.entries((message.roles ?? {}) as Record<string, unknown>)
  const groups = Object.entries((message.groups ?? {}) as Record<string, unknown>)
  const isRole = (role: unknown) => mappedRoles.some((name) => name === role)
  const violations = [
    ...roles.flatMap(([value, role]) =>
      isRole(role)
        ? []
        : [{ field: `mapping.roles.${value}`, message: `must be ${mappedRoles.join(', ')}` }],
    ),
    ...groups.flatMap(([value, id]) =>
      typeof id === 'string' && isUuid(id)
        ? []
        : [{ field: `mapping.groups.${value}`, message: 'must be the ID of a group' }],
    ),
  ]
  const mapping = {
    ...(role_claim !== undefined && { roleClaim: role_claim }),
    roles: Object.fromEntries(roles) as Record<string, MappedRole>,
    ...(groups_claim !== undefined && { groupsClaim: groups_claim }),
    groups: Object.fromEntries(groups.map(([value, id]) => [value, String(id).toLowerCase()])),
  }
  return { mapping, violations }
}

export function connectionNotFound(): ServiceError {
  return new ServiceError(reasons.CONNECTION_NOT_FOUND)
}

export function domainNotFound(): ServiceError {
  return new ServiceError(reasons.DOMAIN_NOT_FOUND)
}

export function tooManyConnections(): ServiceError {
  const detail = `A workspace can have at most ${maxConnections} connections`
  return new ServiceError(reasons.TOO_MANY_CONNECTIONS, detail)
}

export function enforcementNotReady(): ServiceError {
  return new ServiceError(reasons.ENFORCEMENT_NOT_READY)
}
