import { Migrator } from '@mikro-orm/migrations'
import { MikroORM } from '@mikro-orm/postgresql'
import type { Client, Pool } from 'pg'
import { createClientClass } from './client.ts'
import { CustomRole, CustomRoleAction, CustomRoleMember } from './entities/custom-roles.ts'
import { Group, GroupMember, LinkedAccount, Member, User, Workspace } from './entities/people.ts'
import { Activity, DeniedToken } from './entities/records.ts'
import { Resource, ResourceKind, Share } from './entities/resources.ts'
import { ServiceAction, ServiceApp, ServiceKey } from './entities/service-apps.ts'
import {
  AuthorizationCode,
  BrowserSession,
  ClientApp,
  ClientRedirectUri,
  ClientSecret,
  RefreshFamily,
  RefreshToken,
} from './entities/sign-in.ts'
import { First } from './migrations/001-first.ts'
import { SignIn } from './migrations/002-sign-in.ts'
import { Search } from './migrations/003-search.ts'
import { Apps } from './migrations/004-apps.ts'
import { ActivityLog } from './migrations/005-activity.ts'
import { ClientOrigins } from './migrations/006-client-origins.ts'
import { WorkspaceSearch } from './migrations/007-workspace-search.ts'
import { AdminTokens } from './migrations/008-admin-tokens.ts'
import { ActivityIndexes } from './migrations/009-activity-indexes.ts'
import { ResourceParents } from './migrations/010-resource-parents.ts'
import { NestedGroups } from './migrations/011-nested-groups.ts'
import { AccountLinks } from './migrations/013-account-links.ts'
import { ExternalIds } from './migrations/014-external-ids.ts'
import { ShareExpiry } from './migrations/015-share-expiry.ts'
import { Audit } from './migrations/016-audit.ts'
import { ClientApps } from './migrations/018-client-apps.ts'
import { OAuthSessions } from './migrations/019-oauth-sessions.ts'
import { Quotas } from './migrations/021-quotas.ts'
import { MemberRoles } from './migrations/022-member-roles.ts'
import { ShareQuotaLock } from './migrations/023-share-quota-lock.ts'
import { AccessChanges } from './migrations/024-access-changes.ts'
import { ExternalIdForms } from './migrations/025-external-id-forms.ts'
import { SignInRules } from './migrations/026-sign-in-rules.ts'
import { LogoutQueues } from './migrations/027-logout-queues.ts'
import { BoundClientApps } from './migrations/028-bound-client-apps.ts'
import { ServiceRoutes } from './migrations/029-service-routes.ts'
import { ApplicationSignIn } from './migrations/030-application-sign-in.ts'
import { ResourceRoles } from './migrations/031-resource-roles.ts'
import { MemberExpiry } from './migrations/032-member-expiry.ts'
import { GroupRoles } from './migrations/033-group-roles.ts'
import { PublicVisibility } from './migrations/034-public-visibility.ts'
import { ResourceAttributes } from './migrations/035-resource-attributes.ts'
import { ResourceConditions } from './migrations/036-resource-conditions.ts'
import { ShareConditions } from './migrations/037-share-conditions.ts'
import { ResourceLinks } from './migrations/038-resource-links.ts'
import { NameSearch } from './migrations/039-name-search.ts'
import { ServiceAccounts } from './migrations/040-service-accounts.ts'
import { ApiKeys } from './migrations/041-api-keys.ts'
import { ActivityPositions } from './migrations/045-activity-positions.ts'
import { DeletedWorkspaces } from './migrations/051-deleted-workspaces.ts'
import { DeletedTrees } from './migrations/052-deleted-trees.ts'
import { BoundedLists } from './migrations/053-bounded-lists.ts'
import { Autovacuum } from './migrations/054-autovacuum.ts'
import { LinkConditions } from './migrations/055-link-conditions.ts'
import { ManagementApps } from './migrations/058-management-apps.ts'
import { ClientCredentials } from './migrations/059-client-credentials.ts'
import { SupportAccess } from './migrations/060-support-access.ts'
import { DisplayNames } from './migrations/061-display-names.ts'
import { Webhooks } from './migrations/064-webhooks.ts'
import { JobQueue } from './migrations/065-job-queue.ts'
import { InvitationLinks } from './migrations/067-invitation-links.ts'
import { NewerFacts } from './migrations/068-newer-facts.ts'
import { Connections } from './migrations/069-connections.ts'
import { Scim } from './migrations/070-scim.ts'
import { ChangedNames } from './migrations/071-changed-names.ts'
import { RouteChanges } from './migrations/072-route-changes.ts'
import { FactsIdentity } from './migrations/073-facts-identity.ts'
import { CompleteRecords } from './migrations/074-complete-records.ts'
import { ReportedSignInTimes } from './migrations/076-reported-sign-in-times.ts'
import { RedactedDeliveries } from './migrations/078-redacted-deliveries.ts'
import { ConditionEntries } from './migrations/079-condition-entries.ts'
import { SlowWebhooks } from './migrations/080-slow-webhooks.ts'
import { RefusedInvitations } from './migrations/081-refused-invitations.ts'
import { Browsers } from './migrations/082-browsers.ts'
import { Guests } from './migrations/083-guests.ts'
import { InheritedRequirements } from './migrations/085-inherited-requirements.ts'
import { AuthenticationOfCodes } from './migrations/091-authentication-of-codes.ts'
import { SignInCodes } from './migrations/092-sign-in-codes.ts'
import { Passkeys } from './migrations/094-passkeys.ts'
import { AccountStepUps } from './migrations/096-account-step-ups.ts'
import { ApiResources } from './migrations/100-api-resources.ts'
import { ExternalClients } from './migrations/102-external-clients.ts'
import { Consents } from './migrations/103-consents.ts'
import { ThirdPartyClients } from './migrations/104-third-party-clients.ts'
import { Delegations } from './migrations/105-delegations.ts'
import { DelegatedTokens } from './migrations/106-delegated-tokens.ts'
import { AgentsInActivity } from './migrations/107-agents-in-activity.ts'
import { ResourceChanges } from './migrations/108-resource-changes.ts'
import { AccessKeySecrets } from './migrations/109-access-key-secrets.ts'
import { SearchInTurkish } from './migrations/110-search-in-turkish.ts'
import { maxEntityConnections, poolTimeouts, withoutJit } from './pool.ts'
import { withSessionSettings } from './session-settings.ts'

const entities = [
  Activity,
  AuthorizationCode,
  BrowserSession,
  ClientApp,
  ClientRedirectUri,
  ClientSecret,
  CustomRole,
  CustomRoleAction,
  CustomRoleMember,
  DeniedToken,
  Group,
  GroupMember,
  LinkedAccount,
  Member,
  RefreshFamily,
  RefreshToken,
  Resource,
  ResourceKind,
  ServiceAction,
  ServiceApp,
  ServiceKey,
  Share,
  User,
  Workspace,
]

/**
 * The migrations in order. The name of each matches its file, because `migrate` compares file names
 * with the applied migrations.
 */
const migrations = [
  { name: '001-first', class: First },
  { name: '002-sign-in', class: SignIn },
  { name: '003-search', class: Search },
  { name: '004-apps', class: Apps },
  { name: '005-activity', class: ActivityLog },
  { name: '006-client-origins', class: ClientOrigins },
  { name: '007-workspace-search', class: WorkspaceSearch },
  { name: '008-admin-tokens', class: AdminTokens },
  { name: '009-activity-indexes', class: ActivityIndexes },
  { name: '010-resource-parents', class: ResourceParents },
  { name: '011-nested-groups', class: NestedGroups },
  { name: '013-account-links', class: AccountLinks },
  { name: '014-external-ids', class: ExternalIds },
  { name: '015-share-expiry', class: ShareExpiry },
  { name: '016-audit', class: Audit },
  { name: '018-client-apps', class: ClientApps },
  { name: '019-oauth-sessions', class: OAuthSessions },
  { name: '021-quotas', class: Quotas },
  { name: '022-member-roles', class: MemberRoles },
  { name: '023-share-quota-lock', class: ShareQuotaLock },
  { name: '024-access-changes', class: AccessChanges },
  { name: '025-external-id-forms', class: ExternalIdForms },
  { name: '026-sign-in-rules', class: SignInRules },
  { name: '027-logout-queues', class: LogoutQueues },
  { name: '028-bound-client-apps', class: BoundClientApps },
  { name: '029-service-routes', class: ServiceRoutes },
  { name: '030-application-sign-in', class: ApplicationSignIn },
  { name: '031-resource-roles', class: ResourceRoles },
  { name: '032-member-expiry', class: MemberExpiry },
  { name: '033-group-roles', class: GroupRoles },
  { name: '034-public-visibility', class: PublicVisibility },
  { name: '035-resource-attributes', class: ResourceAttributes },
  { name: '036-resource-conditions', class: ResourceConditions },
  { name: '037-share-conditions', class: ShareConditions },
  { name: '038-resource-links', class: ResourceLinks },
  { name: '039-name-search', class: NameSearch },
  { name: '040-service-accounts', class: ServiceAccounts },
  { name: '041-api-keys', class: ApiKeys },
  { name: '045-activity-positions', class: ActivityPositions },
  { name: '051-deleted-workspaces', class: DeletedWorkspaces },
  { name: '052-deleted-trees', class: DeletedTrees },
  { name: '053-bounded-lists', class: BoundedLists },
  { name: '054-autovacuum', class: Autovacuum },
  { name: '055-link-conditions', class: LinkConditions },
  { name: '058-management-apps', class: ManagementApps },
  { name: '059-client-credentials', class: ClientCredentials },
  { name: '060-support-access', class: SupportAccess },
  { name: '061-display-names', class: DisplayNames },
  { name: '064-webhooks', class: Webhooks },
  { name: '065-job-queue', class: JobQueue },
  { name: '067-invitation-links', class: InvitationLinks },
  { name: '068-newer-facts', class: NewerFacts },
  { name: '069-connections', class: Connections },
  { name: '070-scim', class: Scim },
  { name: '071-changed-names', class: ChangedNames },
  { name: '072-route-changes', class: RouteChanges },
  { name: '073-facts-identity', class: FactsIdentity },
  { name: '074-complete-records', class: CompleteRecords },
  { name: '076-reported-sign-in-times', class: ReportedSignInTimes },
  { name: '078-redacted-deliveries', class: RedactedDeliveries },
  { name: '079-condition-entries', class: ConditionEntries },
  { name: '080-slow-webhooks', class: SlowWebhooks },
  { name: '081-refused-invitations', class: RefusedInvitations },
  { name: '082-browsers', class: Browsers },
  { name: '083-guests', class: Guests },
  { name: '085-inherited-requirements', class: InheritedRequirements },
  { name: '091-authentication-of-codes', class: AuthenticationOfCodes },
  { name: '092-sign-in-codes', class: SignInCodes },
  { name: '094-passkeys', class: Passkeys },
  { name: '096-account-step-ups', class: AccountStepUps },
  { name: '100-api-resources', class: ApiResources },
  { name: '102-external-clients', class: ExternalClients },
  { name: '103-consents', class: Consents },
  { name: '104-third-party-clients', class: ThirdPartyClients },
  { name: '105-delegations', class: Delegations },
  { name: '106-delegated-tokens', class: DelegatedTokens },
  { name: '107-agents-in-activity', class: AgentsInActivity },
  { name: '108-resource-changes', class: ResourceChanges },
  { name: '109-access-key-secrets', class: AccessKeySecrets },
  { name: '110-search-in-turkish', class: SearchInTurkish },
]

type OrmOptions = {
  /**
   * The client class of the pool. By default, statements run to completion even if their caller has
   * disconnected.
   */
  Client?: new () => Client
  onPoolCreated?: (pool: Pool) => void
  /** The settings of pg.Pool for timeouts. */
  timeouts?: { connectionTimeoutMillis: number; query_timeout?: number; lock_timeout: number }
}

/** Opens the entities on their own pool, which is created and connects at the first use. */
export function openOrm(url: string, options: OrmOptions = {}): Promise<MikroORM> {
  const { Client = createClientClass(), onPoolCreated, timeouts = poolTimeouts } = options
  return MikroORM.init({
    clientUrl: url,
    entities,
    extensions: [Migrator],
    pool: { min: 0, max: maxEntityConnections },
    driverOptions: {
      ...withSessionSettings({ ...timeouts, Client }, withoutJit),
      onPoolCreated,
    },
    // Failures are reported to the caller as errors.
    logger: () => {},
    migrations: {
      migrationsList: migrations,
      tableName: 'migrations',
      snapshot: false,
    },
  })
}
