import type { EntityManager } from '@mikro-orm/postgresql'
import { ActivityStore } from '../activity/store/activity-store.ts'
import { ChainStore } from '../activity/store/chain-store.ts'
import { FeedStore } from '../activity/store/feed-store.ts'
import { ClientAppStore } from '../admin/store/client-app-store.ts'
import { ImportStore } from '../admin/store/import-store.ts'
import { KeptTextStore } from '../admin/store/kept-text-store.ts'
import { NameSearchStore } from '../admin/store/name-search-store.ts'
import { NameStore } from '../admin/store/name-store.ts'
import { PeopleStore } from '../admin/store/people-store.ts'
import { ServiceAppStore } from '../admin/store/service-app-store.ts'
import { StatisticsStore } from '../admin/store/statistics-store.ts'
import { UserDataStore } from '../admin/store/user-data-store.ts'
import { ConnectionDomainStore } from '../connections/store/connection-domain-store.ts'
import { ConnectionStore } from '../connections/store/connection-store.ts'
import { ConnectionSubjectStore } from '../connections/store/connection-subject-store.ts'
import type { Transactional } from '../core/request-context.ts'
import { RolloutStore } from '../database/rollout-store.ts'
import { inTransaction } from '../database/transaction.ts'
import { RouteStore } from '../gateway/store/route-store.ts'
import { AccountStore } from '../identity/store/account-store.ts'
import { ApiKeyStore } from '../identity/store/api-key-store.ts'
import { BrowserSessionStore } from '../identity/store/browser-session-store.ts'
import { ClaimsStore } from '../identity/store/claims-store.ts'
import { ClientStore } from '../identity/store/client-store.ts'
import { CodeStore } from '../identity/store/code-store.ts'
import { ManagementAppStore } from '../identity/store/management-app-store.ts'
import { RevocationStore } from '../identity/store/revocation-store.ts'
import { SessionStore } from '../identity/store/session-store.ts'
import { UserStore } from '../identity/store/user-store.ts'
import { AccessChangeStore } from '../permissions/store/access-change-store.ts'
import { ActionStore } from '../permissions/store/action-store.ts'
import { LinkStore } from '../permissions/store/link-store.ts'
import { PrincipalStore } from '../permissions/store/principal-store.ts'
import { RegistrationStore } from '../permissions/store/registration-store.ts'
import { ResourceStore } from '../permissions/store/resource-store.ts'
import { ResourceTreeStore } from '../permissions/store/resource-tree-store.ts'
import { ResourceTypeStore } from '../permissions/store/resource-type-store.ts'
import { ShareStore } from '../permissions/store/share-store.ts'
import { ScimGroupStore } from '../scim/store/scim-group-store.ts'
import { ScimGuardStore } from '../scim/store/scim-guard-store.ts'
import { ScimTokenStore } from '../scim/store/scim-token-store.ts'
import { ScimUserStore } from '../scim/store/scim-user-store.ts'
import { DeliveryStore } from '../webhooks/store/delivery-store.ts'
import { WebhookFeedStore } from '../webhooks/store/webhook-feed-store.ts'
import { WebhookStore } from '../webhooks/store/webhook-store.ts'
import { GroupHierarchyStore } from '../workspaces/store/group-hierarchy-store.ts'
import { GroupStore } from '../workspaces/store/group-store.ts'
import { InvitationStore } from '../workspaces/store/invitation-store.ts'
import { MemberStore } from '../workspaces/store/member-store.ts'
import { RoleStore } from '../workspaces/store/role-store.ts'
import { ServiceAccountStore } from '../workspaces/store/service-account-store.ts'
import { WorkspaceStore } from '../workspaces/store/workspace-store.ts'
import { activityEvents, portFactories } from './features.ts'

/** The activity log, with the events of all features. */
class FeatureActivityStore extends ActivityStore {
  constructor(em: EntityManager) {
    super(em, activityEvents)
  }
}

/** The stores of all features, by the name under which handlers use them. */
const storeClasses = {
  accessChanges: AccessChangeStore,
  accounts: AccountStore,
  actions: ActionStore,
  activity: FeatureActivityStore,
  apiKeys: ApiKeyStore,
  browserSessions: BrowserSessionStore,
  chain: ChainStore,
  claims: ClaimsStore,
  clientApps: ClientAppStore,
  clients: ClientStore,
  codes: CodeStore,
  connectionDomains: ConnectionDomainStore,
  connections: ConnectionStore,
  connectionSubjects: ConnectionSubjectStore,
  deliveries: DeliveryStore,
  feed: FeedStore,
  groupHierarchy: GroupHierarchyStore,
  groups: GroupStore,
  imports: ImportStore,
  invitations: InvitationStore,
  keptTexts: KeptTextStore,
  links: LinkStore,
  managementApps: ManagementAppStore,
  members: MemberStore,
  names: NameStore,
  nameSearch: NameSearchStore,
  people: PeopleStore,
  principals: PrincipalStore,
  registrations: RegistrationStore,
  resources: ResourceStore,
  resourceTrees: ResourceTreeStore,
  resourceTypes: ResourceTypeStore,
  revocations: RevocationStore,
  roles: RoleStore,
  rollout: RolloutStore,
  routes: RouteStore,
  scimGroups: ScimGroupStore,
  scimGuards: ScimGuardStore,
  scimTokens: ScimTokenStore,
  scimUsers: ScimUserStore,
  serviceAccounts: ServiceAccountStore,
  serviceApps: ServiceAppStore,
  sessions: SessionStore,
  shares: ShareStore,
  statistics: StatisticsStore,
  userData: UserDataStore,
  users: UserStore,
  webhookFeed: WebhookFeedStore,
  webhooks: WebhookStore,
  workspaces: WorkspaceStore,
}

type Ports = {
  [Name in keyof typeof portFactories]: ReturnType<(typeof portFactories)[Name]>
}

/** The stores and ports of all features. */
export type Stores = Ports & {
  [Name in keyof typeof storeClasses]: InstanceType<(typeof storeClasses)[Name]>
}

/** If a store or port that a port needs is missing, this does not compile. */
const ports: { [Name in keyof Ports]: (stores: Stores) => Ports[Name] } = portFactories

/**
 * Creates the stores and ports of a call, or of a transaction of it. A call uses few of them, so each
 * is created at its first use.
 */
export function createStores(em: EntityManager): Transactional<Stores> {
  return Object.assign(Object.create(lazyStores) as Stores & StoreScope, {
    em,
    transaction: <Result>(work: (tx: Transactional<Stores>) => Promise<Result>) =>
      inTransaction(em, (em) => work(createStores(em))),
  })
}

type StoreScope = { em: EntityManager }

/** Getters that replace themselves with the store or port. */
const lazyStores = {}
for (const [name, Store] of Object.entries(storeClasses))
  defineLazily(name, ({ em }) => new Store(em))
for (const [name, create] of Object.entries(ports)) defineLazily(name, create)

function defineLazily(name: string, create: (stores: Stores & StoreScope) => object): void {
  Object.defineProperty(lazyStores, name, {
    get(this: Stores & StoreScope) {
      const value = create(this)
      Object.defineProperty(this, name, { value })
      return value
    },
  })
}
