const expired = 'only shares and links with an end expire'
const keyed = 'a service app has a key without an end'
const kinds = 'a foreign key requires the kind'
const named = 'a user without a name has an address'
const onlyPeople = 'service accounts, which have no address, are not among the users'
const recursive = 'the recursion returns its first row'
const snapshots = 'there is always a snapshot'
const subjects = 'there is a row of subjects, with a status for each of them'
const unnested = 'the lists of the program contain no nulls'

/**
 * Columns that PostgreSQL cannot tell are never null, by the place of their statement, and why they are
 * not.
 */
export const neverNull: Readonly<Record<string, [why: string, ...columns: string[]]>> = {
  'src/access-keys/store/holdings.ts readRow': [snapshots, '8', '10'],
  'src/access-keys/store/resource-change-store.ts openWindow': [snapshots, '1'],
  'src/access-keys/store/resource-state-store.ts readChildren': [unnested, '4'],
  'src/access-keys/store/resource-state-store.ts readStates': [unnested, '1'],
  'src/access-keys/store/read-position.ts createReadPosition': [snapshots, '1'],
  'src/access-keys/store/access-key-secret-store.ts findOrCreate': [
    'the column is not null',
    'secret',
  ],
  'src/activity/store/activity-store.ts findEndedKeyUses': [
    'the entries of this action have the detail',
    'key',
  ],
  'src/activity/store/chain-store.ts findOldestSeals': ['a sealed entry has a hash', 'hash'],
  'src/following/store/relation-store.ts findConcerned': [unnested, 'id'],
  'src/following/store/relation-store.ts findRelations': [unnested, 'service', 'id'],
  'src/consent/store/consent-store.ts findRegistration': [
    'concat_ws leaves nulls out',
    'metadataHash',
  ],
  'src/csv-import/store/import-store.ts findIdentifiedUsers': [onlyPeople, 'email'],
  'src/csv-import/store/import-store.ts findUsers': ['the address is one of a list', 'email'],
  'src/csv-import/store/import-store.ts insertUsers': ['the address is the one inserted', 'email'],
  'src/admin/store/name-store.ts find': [named, 'name'],
  'src/admin/store/name-store.ts findInWorkspace': [named, 'name'],
  'src/admin/store/people-store.ts listPage': ['a filter selects people', 'email'],
  'src/admin/store/service-app-store.ts find': [keyed, 'keyPrefix'],
  'src/admin/store/service-app-store.ts list': [keyed, 'keyPrefix'],
  'src/admin/store/service-app-store.ts lock': [keyed, 'keyPrefix'],
  'src/admin/store/user-data-store.ts listShares': ['a share has a grantee', 'grantee_id'],
  'src/database/rollout-store.ts requireAllNodesKnow': ['a role sees its own sessions', 'name'],
  'src/identity/store/browser-session-store.ts findOpen': [onlyPeople, 'email'],
  'src/identity/store/client-store.ts findByRedirectUri': ['there is a client app', 'popupSignIn'],
  'src/identity/store/client-store.ts lockServiceAccount': [
    'a service account has a workspace',
    'workspaceId',
  ],
  'src/identity/store/logout-queue-store.ts claim': ['`due` selects apps with a URI', 'uri'],
  'src/identity/store/user-store.ts updateSignedIn': [onlyPeople, 'email'],
  'src/permissions/engine/conditions/load-uncertain.ts createLoadUncertain': [subjects, '2'],
  'src/permissions/engine/load-facts.ts createLoader': [subjects, '2'],
  'src/permissions/engine/load-reasons.ts load': [subjects, '0'],
  'src/permissions/engine/searches/search-lookups.ts listActionNames': [unnested, '0'],
  'src/permissions/engine/explain-workspaces.ts load': [subjects, '1'],
  'src/links/store/link-store.ts deleteExpired': [expired, 'expiresAt'],
  'src/permissions/store/principal-store.ts findUsers': [onlyPeople, 'email'],
  'src/permissions/store/resource-store.ts #findItems': [kinds, 'serviceName', 'resourceType'],
  'src/permissions/store/resource-store.ts find': [kinds, 'serviceName', 'resourceType'],
  'src/permissions/store/resource-tree-store.ts findMovedChain': [recursive, 'length'],
  'src/permissions/store/resource-tree-store.ts findParents': [recursive, 'length'],
  'src/permissions/store/share-store.ts deleteExpired': [expired, 'expiresAt'],
  'src/permissions/store/share-store.ts grantAll': ['each row is of one of the items', 'index'],
  'src/scim/store/scim-group-store.ts countFitting': [recursive, 'count'],
  'src/scim/store/scim-user-store.ts countFitting': [recursive, 'count'],
  'src/webhooks/store/delivery-store.ts claim': ['the statement sets it', 'claimedAt'],
  'src/workspaces/store/group-hierarchy-store.ts describeLink': [recursive, 'length'],
  'src/workspaces/store/invitation-store.ts claimMails': [onlyPeople, 'email'],
  'src/workspaces/store/invitation-store.ts findByToken': [onlyPeople, 'email'],
}
