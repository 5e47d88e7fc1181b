import { Facts } from '../ui/page.tsx'
import type { IssuerConfiguration } from './connection-queries.ts'

/** Shows what an issuer publishes about itself. */
export function IssuerFacts({ configuration }: { configuration: IssuerConfiguration }) {
  const { authorization_endpoint, token_endpoint, jwks_uri } = configuration
  const { scopes_supported, claims_supported } = configuration
  const url = (value: string) => (
    <span key={value} className="mono">
      {value}
    </span>
  )
  return (
    <Facts
      items={[
        ['Sign-in page', url(authorization_endpoint)],
        ['Token endpoint', url(token_endpoint)],
        ['Keys', url(jwks_uri)],
        ['Scopes', scopes_supported.join(', ') || 'Not listed'],
        ['Claims', claims_supported.join(', ') || 'Not listed'],
      ]}
    />
  )
}
