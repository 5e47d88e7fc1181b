import { ServiceError } from './errors.ts'
import { reasons } from './reasons.ts'

/** The default of each quota of workspaces and resources, by the name of its setting. */
export const defaultQuotas = {
  MAX_WORKSPACES_PER_USER: 1000,
  MAX_MEMBERS_PER_WORKSPACE: 200_000,
  MAX_PENDING_INVITATIONS_PER_WORKSPACE: 100_000,
  MAX_GROUPS_PER_WORKSPACE: 10_000,
  MAX_SERVICE_ACCOUNTS_PER_WORKSPACE: 1000,
  MAX_RESOURCES_PER_WORKSPACE: 10_000_000,
  MAX_SHARES_PER_RESOURCE: 1000,
}

export type QuotaName = keyof typeof defaultQuotas

export type Quotas = Record<QuotaName, number>

/** The part of a context that handlers need to enforce quotas. */
export type QuotaContext = { quotas: Quotas }

/**
 * Seconds after which clients are told to retry. A retry succeeds only once something has been
 * deleted or the operator has raised the quota.
 */
const retryAfter = 60

/** Returns the error of a call that would exceed a quota. */
export function quotaExceeded<Name extends string>(
  quotas: Readonly<Record<Name, number>>,
  name: Name,
): ServiceError {
  const detail = `Exceeds ${describeQuota(quotas, name)}`
  return new ServiceError(reasons.QUOTA_EXCEEDED, detail, { retryAfter })
}

/** Describes a quota with its value and setting: "the quota of 3 members per workspace (MAX_…)". */
export function describeQuota<Name extends string>(
  quotas: Readonly<Record<Name, number>>,
  name: Name,
): string {
  const [counted = '', owner = ''] = name.toLowerCase().replace('max_', '').split('_per_')
  return `the quota of ${quotas[name]} ${counted.replaceAll('_', ' ')} per ${owner} (${name})`
}
