import { AccessChangeStore } from './access-change-store.ts'
import { ActionStore } from './action-store.ts'
import { PrincipalStore } from './principal-store.ts'
import { RegistrationStore } from './registration-store.ts'
import { ResourceStore } from './resource-store.ts'
import { ResourceTreeStore } from './resource-tree-store.ts'
import { ResourceTypeStore } from './resource-type-store.ts'
import { ShareStore } from './share-store.ts'

/** The stores of the feature, by the name under which handlers use them. */
export const permissionStores = {
  accessChanges: AccessChangeStore,
  actions: ActionStore,
  principals: PrincipalStore,
  registrations: RegistrationStore,
  resources: ResourceStore,
  resourceTrees: ResourceTreeStore,
  resourceTypes: ResourceTypeStore,
  shares: ShareStore,
}
