import { wholeNumber } from '../config/parsers.ts'
import { quota, type SettingsOf, setting } from '../config/setting.ts'
import { defaultQuotas } from '../core/quotas.ts'

/** The settings of resources, shares and checks. */
export const permissionSettings = {
  MAX_RESOURCES_PER_WORKSPACE: quota(
    defaultQuotas.MAX_RESOURCES_PER_WORKSPACE,
    'Maximum number of registered resources of a workspace.',
  ),
  MAX_SHARES_PER_RESOURCE: quota(
    defaultQuotas.MAX_SHARES_PER_RESOURCE,
    'Maximum number of users and groups that a resource is shared with.',
  ),
  MAX_FACTS_CACHE_BYTES: setting(
    'Rate limits',
    '67108864',
    wholeNumber,
    "Maximum size in bytes of a worker's cache for checks and lists. A cached entry is used only after PostgreSQL has confirmed that it has not changed. 0 disables the cache.",
  ),
}

export type PermissionSettings = SettingsOf<typeof permissionSettings>
