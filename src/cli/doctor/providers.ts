import { expect } from '../../core/deployment-checks.ts'
import { authorityOf } from '../../identity/providers/discovery.ts'
import type { Config } from '../../server/config.ts'
import type { Check } from './check.ts'

/** The maximum time in milliseconds for a response of an identity provider. */
const timeout = 5000

/** One check for each configured identity provider: whether this machine can reach it. */
export function providerChecks(config: Config): Record<string, Check> {
  const checks: Record<string, Check> = {}
  if (config.GOOGLE_CLIENT_ID)
    checks['google issuer'] = issuerCheck('GOOGLE_ISSUER', config.GOOGLE_ISSUER)
  if (config.MICROSOFT_CLIENT_ID) {
    const issuer = config.MICROSOFT_ISSUER.replace('{tenant}', config.MICROSOFT_TENANT)
    checks['microsoft issuer'] = issuerCheck('MICROSOFT_ISSUER', issuer)
  }
  if (config.GITHUB_CLIENT_ID) {
    checks.github = async () => {
      await request('GITHUB_URL', config.GITHUB_URL)
      await request('GITHUB_API_URL', config.GITHUB_API_URL)
      return 'reachable'
    }
  }
  if (config.OIDC_CLIENT_ID) checks['oidc issuer'] = exactIssuerCheck(config.OIDC_ISSUER)
  return checks
}

/** Reads the metadata of OIDC_ISSUER, which every sign-in compares with the setting. */
function exactIssuerCheck(issuer: string): Check {
  return async () => {
    const metadata = await readMetadata('OIDC_ISSUER', authorityOf(issuer))
    return expect(
      metadata.issuer === issuer,
      'reachable',
      `OIDC_ISSUER: ${issuer} calls itself ${metadata.issuer}: set OIDC_ISSUER to that`,
    )
  }
}

function issuerCheck(name: string, issuer: string): Check {
  return async () => {
    await readMetadata(name, issuer)
    return 'reachable'
  }
}

/** Reads the metadata of an issuer (OpenID Connect Discovery 1.0, 4). */
async function readMetadata(name: string, issuer: string): Promise<{ issuer: unknown }> {
  const url = `${issuer}/.well-known/openid-configuration`
  const response = await request(name, url)
  const metadata: unknown = response.ok ? await response.json().catch(() => undefined) : undefined
  if (typeof metadata === 'object' && metadata !== null && 'issuer' in metadata) return metadata
  throw new Error(`${name}: ${url} returned no metadata (HTTP ${response.status}): correct ${name}`)
}

async function request(name: string, url: string): Promise<Response> {
  try {
    return await fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(timeout) })
  } catch (error) {
    const { message, cause } = error as Error
    const reason =
      cause instanceof Error ? cause.message || (cause as NodeJS.ErrnoException).code : message
    throw new Error(
      `${name}: ${url} does not answer (${reason}): allow connections to it, or correct ${name}`,
    )
  }
}
