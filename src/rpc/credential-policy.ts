import type { CredentialPolicy } from '../core/credential-kind.ts'

/** The credentials that a method requires. */
export type Tier = 'public' | 'user' | 'service' | 'dual' | 'admin' | 'scim'

/** The options of a policy that concern its credentials (policy.proto). */
export type CredentialOptions = {
  optional_user?: boolean
  lenient_user?: boolean
  optional_client?: boolean
  optional_admin?: boolean
  service_accounts?: boolean
  refuses_connections?: boolean
  refuses_guests?: boolean
  account_page?: boolean
  delegated?: boolean
  profile?: string
}

const user = 'user'
const service = 'service'
const administrative = [['admin'], ['management_app']]

/**
 * Returns the kinds of credentials that a policy takes, the only place that knows them by name. A tier
 * that is not listed takes the kind of the same name. Throws if the options contradict each other.
 */
export function readCredentials(
  method: string,
  tier: Tier,
  options: CredentialOptions,
): Pick<CredentialPolicy, 'credentials' | 'variants' | 'takesBearerKeys'> {
  requireConsistent(method, tier, options)
  const { profile } = options
  const takesUsersOfServices = tier === 'dual' || options.optional_user === true
  return {
    credentials: readSets(tier, options),
    variants: [
      ...(takesUsersOfServices || options.service_accounts ? ['service_account'] : []),
      ...(takesUsersOfServices ? ['resource_token'] : []),
      ...(takesUsersOfServices || options.delegated ? ['delegated'] : []),
      ...(options.refuses_connections ? [] : ['connection_session']),
      ...(options.refuses_guests ? [] : ['guest']),
    ],
    takesBearerKeys: profile === 'PROFILE_AUTHZEN' || profile === 'PROFILE_OAUTH',
  }
}

function readSets(tier: Tier, options: CredentialOptions): string[][] {
  if (tier === 'public') return [[]]
  if (tier === 'admin') return administrative
  if (options.account_page) return [['account_page']]
  if (tier === 'dual') return [[service, user]]
  if (tier !== 'service') return [[tier]]
  return [
    ...(options.optional_client ? [['client']] : []),
    [service],
    ...(options.optional_user ? [[service, user]] : []),
    ...(options.optional_admin ? administrative : []),
  ]
}

function requireConsistent(method: string, tier: Tier, options: CredentialOptions): void {
  const optionsOfTiers = {
    user: [
      ...['service_accounts', 'refuses_connections', 'refuses_guests', 'account_page'],
      'delegated',
    ],
    service: ['optional_user', 'optional_client', 'optional_admin'],
  } as const
  for (const [required, names] of Object.entries(optionsOfTiers)) {
    const found = names.find((name) => options[name])
    if (found && tier !== required)
      throw new Error(`The policy of ${method} has ${found} but not TIER_${required.toUpperCase()}`)
  }
  if (options.lenient_user && !options.optional_user)
    throw new Error(`The policy of ${method} has lenient_user but not optional_user`)
}
