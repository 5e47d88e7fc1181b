import { ScimGroupStore } from './scim-group-store.ts'
import { ScimGuardStore } from './scim-guard-store.ts'
import { ScimTokenStore } from './scim-token-store.ts'
import { ScimUserStore } from './scim-user-store.ts'

/** The stores of the feature, by the name under which handlers use them. */
export const scimStores = {
  scimGroups: ScimGroupStore,
  scimGuards: ScimGuardStore,
  scimTokens: ScimTokenStore,
  scimUsers: ScimUserStore,
}
