import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import test from 'ava'
import type { ActivityEventName } from '../../src/activity/events.ts'
import { activityEvents } from '../../src/server/features.ts'
import { createHandlers } from '../../src/server/handlers.ts'
import {
  openLinkPage,
  signAccountToken,
  signInToAccountPage,
  signInToLink,
} from '../support/account-page.ts'
import { createAdmin } from '../support/admin.ts'
import { createConsentSteps } from '../support/consent.ts'
import { insertDelegation } from '../support/delegation-rows.ts'
import { createAccountToken, inSeconds } from '../support/delegations.ts'
import { signInWithOAuth } from '../support/oauth.ts'
import { expectError, expectOk } from '../support/outcome.ts'
import {
  addPasskey,
  beginPasskey,
  beginSignIn,
  createPasskeyEnvironment,
  origin,
  readOptions,
  signInToAccount,
} from '../support/passkeys.ts'
import {
  seedApiKey,
  seedGrant,
  seedManagementApp,
  seedServiceAccount,
} from '../support/request-fixture.ts'
import { seedConnection, seedScimToken } from '../support/scim.ts'
import { signIn, signInAtProvider } from '../support/sign-in.ts'
import { assertSoftPasskey, createSoftPasskey } from '../support/software-authenticator.ts'
import { startStubIssuer } from '../support/stub-issuer.ts'
import type { PresentedCredentials, Transport } from '../support/transports.ts'
import { createWorkspaceFixture } from '../support/workspace-fixture.ts'

const environment = await createPasskeyEnvironment()
const issuer = await startStubIssuer()
const { pool, seed } = environment
const admin = await createAdmin(environment)
test.after.always(() => environment.stop())

/** Creates a trigger that fails transactions with an entry when they commit. */
test.before(async () => {
  await pool.query(`
  create function refuse() returns trigger language plpgsql as $$
    begin raise exception 'no entries' using errcode = '53000'; end $$;
  create constraint trigger refuse after insert on activity
    deferrable initially deferred for each row execute function refuse();
  alter table activity disable trigger refuse`)
})

/** A call that causes the event; `writes` lists all recorded actions when there are several. */
type EventCall = {
  method: string
  message: object
  credentials?: PresentedCredentials
  writes?: ActivityEventName[]
  /** The call is recorded although it returns an error. */
  fails?: true
}

type Scene = Awaited<ReturnType<typeof createScene>>

/** For each event and each handler that records it, a function that prepares the call. */
type EventCalls = {
  [Name in ActivityEventName]: Record<
    (typeof activityEvents)[Name]['recordedBy'][number],
    (scene: Scene) => Promise<EventCall>
  >
}

const connectionSettings = {
  ...{ name: 'Corp', client_id: 'daikon', client_secret: 'secret' },
  ...{ scopes: [], domains: ['corp.example'] },
}

const byAdmin = { admin: admin.token }

const eventCalls: EventCalls = {
  'user.signed_in': { completeLogin: ({ comeBack, known }) => comeBack('Login', known) },
  'user.sign_in_failed': { completeLogin: ({ comeBack }) => comeBack('Login', async () => '') },
  'admin.signed_in': {
    completeAdminLogin: ({ comeBack, known }) => comeBack('AdminLogin', promoted(known)),
  },
  'admin.sign_in_failed': {
    completeAdminLogin: ({ comeBack }) => comeBack('AdminLogin', async () => ''),
  },
  'admin.access_refused': {
    completeAdminLogin: ({ comeBack, known }) => comeBack('AdminLogin', known),
  },
  'user.account_linked': {
    completeLogin: async ({ comeBack, invited }) => ({
      ...(await comeBack('Login', invited)),
      writes: ['user.account_linked', 'user.signed_in'],
    }),
    completeAdminLogin: async ({ comeBack, invited }) => ({
      ...(await comeBack('AdminLogin', promoted(invited))),
      writes: ['user.account_linked', 'admin.signed_in'],
    }),
    confirmAccountLink: ({ linking }) => linking(environment.addProviderUser()),
  },
  'user.email_changed': {
    completeLogin: async ({ comeBack, moved }) => ({
      ...(await comeBack('Login', moved)),
      writes: ['user.email_changed', 'user.signed_in'],
    }),
    completeAdminLogin: async ({ comeBack, moved }) => ({
      ...(await comeBack('AdminLogin', promoted(moved))),
      writes: ['user.email_changed', 'admin.signed_in'],
    }),
    updateUser: async ({ member: user_id }) => {
      const email = `corrected-${randomUUID()}@example.com`
      return createAdminCall('UpdateUser', { user_id, email, reason: 'Married' })
    },
  },
  'user.account_unlinked': {
    unlinkAccount: async ({ fixture }) => {
      const { id } = fixture.people.editor
      await linkAccount(id, 'google')
      const account_id = await linkAccount(id, 'github')
      const token = await signAccountToken(environment, id, fixture.workspace)
      return { method: 'UnlinkAccount', message: { account_id }, credentials: { token } }
    },
  },
  'delegation.created': {
    createDelegation: async ({ fixture, member, workspace_id }) => ({
      method: 'CreateDelegation',
      message: {
        agent: { type: 'service_account', id: await seedServiceAccount(environment, workspace_id) },
        service_name: fixture.service,
        actions: { values: ['view'] },
        reason: 'Reports',
        expires_at: inSeconds(3600),
      },
      credentials: { token: await createAccountToken(environment, member, workspace_id) },
    }),
  },
  'delegation.ended': {
    deleteMyDelegation: async ({ member, workspace_id, delegated }) => ({
      method: 'DeleteMyDelegation',
      message: { delegation_id: await delegated() },
      credentials: { token: await environment.token(member, workspace_id) },
    }),
    deleteWorkspaceDelegation: async ({ by, delegated }) =>
      by('admin', 'DeleteWorkspaceDelegation', { delegation_id: await delegated() }),
    deleteDelegation: async ({ delegated }) => ({
      method: 'DeleteDelegation',
      message: { delegation_id: await delegated() },
      credentials: byAdmin,
    }),
  },
  'delegation.expired': {},
  'grant.created': {
    authorize: async ({ transport }) => {
      const { begin, open, pass } = createConsentSteps(environment, transport)
      const { request, session } = await begin()
      const page = await open(request, session)
      pass(1)
      return { method: 'Authorize', message: { ...page.choices[0], browser_session: session } }
    },
  },
  'grant.extended': {
    authorize: async ({ transport }) => {
      const { connect, open, pass } = createConsentSteps(environment, transport)
      const { request, session } = await connect()
      const page = await open({ ...request, scope: 'read write' }, session)
      pass(1)
      return { method: 'Authorize', message: { ...page.choices[0], browser_session: session } }
    },
  },
  'grant.revoked': {
    deleteMyGrant: async ({ member, workspace_id, connected }) => ({
      method: 'DeleteMyGrant',
      message: { grant_id: await connected(member) },
      credentials: { token: await environment.token(member, workspace_id) },
    }),
    deleteWorkspaceGrant: async ({ by, member, connected }) =>
      by('admin', 'DeleteWorkspaceGrant', { grant_id: await connected(member) }),
    deleteGrant: async ({ member, connected }) => ({
      method: 'DeleteGrant',
      message: { grant_id: await connected(member) },
      credentials: byAdmin,
    }),
    deleteGrants: async ({ member, connected }) => ({
      method: 'DeleteGrants',
      message: { host: `${await connected(member)}.example.com` },
      credentials: byAdmin,
    }),
  },
  'user.passkey_added': {
    createPasskey: async ({ transport }) => {
      const { token } = await signInToAccount(transport, environment.addProviderUser())
      const { credential } = createSoftPasskey(await beginPasskey(transport, token), origin)
      return { method: 'CreatePasskey', message: { credential }, credentials: { token } }
    },
  },
  'user.passkey_renamed': {
    updatePasskey: async ({ withPasskey }) => {
      const { passkeyId: passkey_id, credentials } = await withPasskey()
      return { method: 'UpdatePasskey', message: { passkey_id, name: 'Key' }, credentials }
    },
  },
  'user.passkey_removed': {
    deletePasskey: async ({ withPasskey }) => {
      const { passkeyId: passkey_id, credentials } = await withPasskey()
      return { method: 'DeletePasskey', message: { passkey_id }, credentials }
    },
    deleteUserPasskey: async ({ withPasskey }) => {
      const { passkeyId: passkey_id, userId: user_id } = await withPasskey()
      return createAdminCall('DeleteUserPasskey', { user_id, passkey_id })
    },
  },
  'user.passkey_counter_regressed': {
    completePasskeySignIn: async ({ transport, withPasskey }) => {
      const { passkey, passkeyId } = await withPasskey()
      await pool.query('update passkeys set counter = 5 where account_id = $1', [passkeyId])
      const open = await beginSignIn(transport)
      const credential = assertSoftPasskey(passkey, await readOptions(transport, open), origin)
      const { state, login_state } = open
      const message = { state, login_state, credential }
      return { method: 'CompletePasskeySignIn', message, fails: true }
    },
  },
  'user.link_refused': {
    completeLogin: async ({ comeBack, conflicting }) => ({
      ...(await comeBack('Login', conflicting)),
      writes: ['user.link_refused', 'user.sign_in_failed'],
    }),
    completeAdminLogin: async ({ comeBack, conflicting }) => ({
      ...(await comeBack('AdminLogin', conflicting)),
      writes: ['user.link_refused', 'admin.sign_in_failed'],
    }),
    confirmAccountLink: async ({ linking, transport }) => {
      const taken = environment.addProviderUser()
      await signIn(transport, taken, 'github')
      return linking(taken)
    },
  },
  'user.email_sign_in_changed': {
    setEmailSignIn: async ({ asAccount }) => {
      const { id, credentials } = await asAccount()
      await linkAccount(id, 'google')
      return { method: 'SetEmailSignIn', message: { enabled: false }, credentials }
    },
  },
  'user.signed_out': {
    logout: async ({ signedIn }) => ({ method: 'Logout', message: {}, ...(await signedIn()).as }),
  },
  'admin.signed_out': {
    adminLogout: async () => {
      const { token } = await createAdmin(environment)
      return { method: 'AdminLogout', message: {}, credentials: { admin: token } }
    },
  },
  'session.revoked': {
    revokeToken: async ({ oauth }) => {
      const { client_id, refresh_token } = await oauth()
      return { method: 'RevokeToken', message: { client_id, token: refresh_token } }
    },
  },
  'session.browser_ended': {
    endBrowserSession: async ({ oauth }) => {
      const { id_token, browser_session } = await oauth()
      return { method: 'EndBrowserSession', message: { id_token_hint: id_token, browser_session } }
    },
  },
  'session.ended': {
    endSession: async ({ signedIn }) => {
      const { as, findSession } = await signedIn()
      return { method: 'EndSession', message: { session_id: await findSession() }, ...as }
    },
    endUserSession: async ({ signedIn }) => {
      const { findSession, findUser } = await signedIn()
      const message = { user_id: await findUser(), session_id: await findSession() }
      return createAdminCall('EndUserSession', message)
    },
    endUserSessions: async ({ signedIn }) => {
      const { findUser } = await signedIn()
      return createAdminCall('EndUserSessions', { user_id: await findUser() })
    },
    endOtherSessions: async ({ signedIn }) => {
      const { email } = await signedIn()
      return { method: 'EndOtherSessions', message: {}, ...(await signedIn(email)).as }
    },
  },
  'session.refresh_token_reused': {
    refreshToken: async ({ transport, signedIn }) => {
      const { refresh_token } = (await signedIn()).tokens
      expectOk(await transport.call('RefreshToken', { refresh_token }))
      return { method: 'RefreshToken', message: { refresh_token }, fails: true }
    },
  },
  'session.code_replayed': {
    exchangeToken: async ({ signedIn }) => {
      const { exchange } = await signedIn()
      return { method: 'ExchangeToken', message: exchange, fails: true }
    },
  },
  'user.updated': {
    updateUser: async ({ member: user_id }) =>
      createAdminCall('UpdateUser', { user_id, name: 'new' }),
    executeCsvImport: async ({ bySheet }) =>
      bySheet('external_id', `e-${randomUUID()}`, ['user.updated']),
  },
  'user.renamed': {
    executeCsvImport: async ({ bySheet }) => bySheet('name', 'new', ['user.renamed']),
  },
  'user.activated': {
    updateUser: async ({ member: user_id }) => {
      await pool.query('update users set is_active = false where id = $1', [user_id])
      return createAdminCall('UpdateUser', { user_id, is_active: true })
    },
  },
  'user.deactivated': {
    updateUser: async ({ member: user_id }) =>
      createAdminCall('UpdateUser', { user_id, is_active: false }),
  },
  'user.promoted': {
    setAdministrator: async ({ member: user_id }) =>
      createAdminCall('SetAdministrator', { user_id, is_admin: true }),
  },
  'service_app.ended_key_used': {},
  'user.demoted': {
    setAdministrator: async () => {
      const { id: user_id } = await createAdmin(environment)
      return createAdminCall('SetAdministrator', { user_id, is_admin: false })
    },
  },
  'user.sign_in_code_refused': {},
  'workspace.third_party_clients_changed': {
    updateWorkspace: async ({ by }) =>
      by('owner', 'UpdateWorkspace', { third_party_clients: false }),
  },
  'workspace.delegations_changed': {
    updateWorkspace: async ({ by }) => by('owner', 'UpdateWorkspace', { delegations: false }),
  },
  'workspace.email_sign_in_changed': {
    updateWorkspace: async ({ by }) => by('owner', 'UpdateWorkspace', { email_sign_in: false }),
  },
  'workspace.support_access_changed': {
    updateWorkspace: async ({ by }) => by('owner', 'UpdateWorkspace', { support_access: false }),
  },
  'workspace.slug_changed': {},
  'user.erased': {
    deleteUser: async ({ member: user_id }) => createAdminCall('DeleteUser', { user_id }),
    deleteMe: async ({ asAccount }) => ({
      method: 'DeleteMe',
      message: {},
      credentials: (await asAccount()).credentials,
    }),
  },
  'user.exported': {
    exportUser: async ({ member: user_id }) => createAdminCall('ExportUser', { user_id }),
    exportMe: async ({ asAccount }) => ({
      method: 'ExportMe',
      message: {},
      credentials: (await asAccount()).credentials,
    }),
  },
  'import.executed': {
    executeCsvImport: async ({ bySheet }) => bySheet('role', 'editor', ['member.role_changed']),
  },
  'workspace.created': {
    createWorkspace: async ({ by }) => by('owner', 'CreateWorkspace', title()),
    completeLogin: async ({ comeBack }) => ({
      ...(await comeBack('Login', async () => environment.addProviderUser())),
      writes: ['user.account_linked', 'workspace.created', 'user.signed_in'],
    }),
    completeAdminLogin: async ({ comeBack, seeded }) => ({
      ...(await comeBack('AdminLogin', promoted(seeded))),
      writes: ['user.account_linked', 'workspace.created', 'admin.signed_in'],
    }),
    executeCsvImport: async () => ({
      ...createAdminCall('ExecuteCsvImport', {
        csv: `email,workspace_slug,role\n${randomUUID()}@example.com,n-${randomUUID()},owner\n`,
        create_workspaces: true,
      }),
      writes: ['workspace.created', 'member.invited', 'import.executed'],
    }),
  },
  'workspace.updated': {
    updateWorkspace: async ({ by }) => by('admin', 'UpdateWorkspace', { name: 'new' }),
  },
  'workspace.deleted': { deleteWorkspace: async ({ by }) => by('owner', 'DeleteWorkspace', {}) },
  'member.invited': {
    inviteMember: async ({ by }) =>
      by('admin', 'InviteMember', { email: `${randomUUID()}@example.com`, role: 'viewer' }),
    addUserToWorkspace: async ({ workspace_id }) =>
      createAdminCall('AddUserToWorkspace', {
        workspace_id,
        user_id: await seed.user(),
        role: 'viewer',
      }),
    executeCsvImport: async ({ bySheet }) =>
      bySheet('role', 'viewer', ['member.invited'], await seed.user()),
  },
  'member.role_changed': {
    updateMember: async ({ by, member }) =>
      by('admin', 'UpdateMember', { user_id: member, role: 'editor' }),
    executeCsvImport: async ({ bySheet }) => bySheet('role', 'editor', ['member.role_changed']),
  },
  'member.updated': {
    updateMember: async ({ by, member }) =>
      by('admin', 'UpdateMember', { user_id: member, role: '', guest: true }),
    executeCsvImport: async ({ bySheet }) => bySheet('guest', 'true', ['member.updated']),
  },
  'member.expiry_changed': {
    updateMember: async ({ by, member }) =>
      by('admin', 'UpdateMember', {
        user_id: member,
        role: '',
        expires_at: '2035-01-01T00:00:00Z',
      }),
  },
  'member.expired': {},
  'member.removed': {
    removeMember: async ({ by, member }) => by('admin', 'RemoveMember', { user_id: member }),
    leaveWorkspace: async ({ asAccount, workspace_id }) => ({
      method: 'LeaveWorkspace',
      message: { workspace_id },
      credentials: (await asAccount()).credentials,
    }),
    declineInvitation: async ({ asAccount, workspace_id }) => {
      const { id } = await asAccount()
      await pool.query('update members set joined_at = null where user_id = $1', [id])
      const other = await seed.workspace()
      await seed.member(other, id)
      const token = await signAccountToken(environment, id, other)
      return { method: 'DeclineInvitation', message: { workspace_id }, credentials: { token } }
    },
  },
  'member.support_began': {
    giveSupportAccess: async ({ workspace_id }) =>
      createAdminCall('GiveSupportAccess', {
        ...{ workspace_id, user_id: await seed.user('helper') },
        ...{ role: 'viewer', reason: 'A ticket', minutes: 5 },
      }),
  },
  'member.support_ended': {
    removeMember: async ({ by, workspace_id }) =>
      by('owner', 'RemoveMember', { user_id: await seedSupport(workspace_id) }),
    updateWorkspace: async ({ by, workspace_id }) => {
      await seedSupport(workspace_id)
      return {
        ...(await by('owner', 'UpdateWorkspace', { support_access: false })),
        writes: ['workspace.support_access_changed', 'member.support_ended'],
      }
    },
  },
  'group.created': {
    createGroup: async ({ by }) => by('admin', 'CreateGroup', { name: 'g' }),
    executeCsvImport: async ({ bySheet }) =>
      bySheet('groups', 'g', ['group.created', 'group.members_added']),
  },
  'group.updated': {
    updateGroup: async ({ by, group }) =>
      by('admin', 'UpdateGroup', { group_id: group, description: 'new' }),
  },
  'group.deleted': {
    deleteGroup: async ({ by, group }) => by('admin', 'DeleteGroup', { group_id: group }),
  },
  'group.member_added': {
    addGroupMember: async ({ by, group, fixture }) =>
      by('admin', 'AddGroupMember', { group_id: group, user_id: fixture.people.editor.id }),
  },
  'group.members_added': {
    executeCsvImport: async ({ bySheet, group, fixture }) => {
      await pool.query("update groups set name = 'Writers' where id = $1", [group])
      return bySheet('groups', 'Writers', ['group.members_added'], fixture.people.editor.id)
    },
  },
  'group.member_removed': {
    removeGroupMember: async ({ by, group, member }) =>
      by('admin', 'RemoveGroupMember', { group_id: group, user_id: member }),
  },
  'group.child_added': {
    addChildGroup: async ({ by, group, workspace_id }) =>
      by('admin', 'AddChildGroup', { group_id: group, child_id: await seed.group(workspace_id) }),
  },
  'group.child_removed': {
    removeChildGroup: async ({ by, group, workspace_id }) => {
      const child_id = await seed.group(workspace_id)
      await seed.childGroup(workspace_id, group, child_id)
      return by('admin', 'RemoveChildGroup', { group_id: group, child_id })
    },
  },
  'role.created': {
    createRole: async ({ workspace_id }) =>
      createAdminCall('CreateRole', { workspace_id, name: 'r' }),
  },
  'role.updated': {
    updateRole: async ({ role_id }) =>
      createAdminCall('UpdateRole', { role_id, description: 'new' }),
  },
  'role.deleted': { deleteRole: async ({ role_id }) => createAdminCall('DeleteRole', { role_id }) },
  'role.member_added': {
    addRoleMember: async ({ role_id, fixture }) =>
      createAdminCall('AddRoleMember', { role_id, user_id: fixture.people.editor.id }),
  },
  'role.member_removed': {
    removeRoleMember: async ({ role_id, member }) =>
      createAdminCall('RemoveRoleMember', { role_id, user_id: member }),
  },
  'role.group_added': {
    addRoleGroup: async ({ role_id, group }) =>
      createAdminCall('AddRoleGroup', { role_id, group_id: group }),
  },
  'role.group_removed': {
    removeRoleGroup: async ({ role_id, group }) => {
      expectOk(
        await admin.call(environment.transports[0] as Transport, 'AddRoleGroup', {
          role_id,
          group_id: group,
        }),
      )
      return createAdminCall('RemoveRoleGroup', { role_id, group_id: group })
    },
  },
  'role.action_added': {
    addRoleActions: async ({ role_id, fixture }) => {
      const added = await seed.serviceAction(fixture.service, 'archive')
      return createAdminCall('AddRoleActions', { role_id, service_action_ids: [added] })
    },
  },
  'role.action_removed': {
    removeRoleAction: async ({ role_id, service_action_id }) =>
      createAdminCall('RemoveRoleAction', { role_id, service_action_id }),
  },
  'service_account.created': {
    createServiceAccount: async ({ by }) =>
      by('admin', 'CreateServiceAccount', { name: 'Robot', role: 'editor' }),
  },
  'service_account.updated': {
    updateServiceAccount: async ({ by, fixture }) =>
      by('admin', 'UpdateServiceAccount', {
        service_account_id: await seedServiceAccount(environment, fixture.workspace),
        is_active: false,
      }),
  },
  'service_account.deleted': {
    deleteServiceAccount: async ({ by, fixture }) =>
      by('admin', 'DeleteServiceAccount', {
        service_account_id: await seedServiceAccount(environment, fixture.workspace),
      }),
  },
  'api_key.created': {
    createKey: async ({ by, fixture }) =>
      by('admin', 'CreateKey', {
        service_account_id: await seedServiceAccount(environment, fixture.workspace),
        name: 'Key',
      }),
  },
  'api_key.deleted': {
    deleteKey: async ({ by, fixture }) => {
      const account = await seedServiceAccount(environment, fixture.workspace)
      const key_id = await seedApiKey(environment, account)
      return by('admin', 'DeleteKey', { service_account_id: account, key_id })
    },
  },
  'scim.token_created': {
    createScimToken: async ({ by, fixture }) => {
      await seedConnection(environment, fixture.workspace, `${randomUUID()}.example.org`)
      return by('owner', 'CreateScimToken', {})
    },
  },
  'scim.token_deleted': {
    deleteScimToken: async ({ by, fixture }) => {
      await seedScimToken(environment, fixture.workspace)
      return by('owner', 'DeleteScimToken', {})
    },
  },
  'scim.confirmed': { confirmScim: async ({ by }) => by('owner', 'ConfirmScim', {}) },
  'scim.user_provisioned': {},
  'scim.user_updated': {},
  'scim.user_deprovisioned': {},
  'scim.user_deleted': {},
  'service_action.registered': {
    registerActions: async ({ bySelf }) => bySelf('RegisterActions', { name: 'archive' }),
  },
  'service_action.updated': {
    registerActions: async ({ bySelf }) =>
      bySelf('RegisterActions', { name: 'publish', description: 'new' }),
  },
  'service_routes.replaced': {
    putRoutes: async ({ fixture: { service: service_name, key } }) => ({
      method: 'PutRoutes',
      message: { service_name, routes: [{ methods: [], path: '/', allow: 'anyone' }] },
      credentials: { key },
    }),
  },
  'resource_type.declared': {
    putResourceType: async ({ fixture: { kind, key } }) => ({
      method: 'PutResourceType',
      message: { ...kind, roles: [{ name: 'triage', actions: ['view'] }] },
      credentials: { key },
    }),
    deleteResourceType: async ({ transport, fixture: { kind, key } }) => {
      const declaration = { ...kind, roles: [{ name: 'triage', actions: ['view'] }] }
      expectOk(await transport.call('PutResourceType', declaration, { key }))
      return { method: 'DeleteResourceType', message: kind, credentials: { key } }
    },
  },
  'service_app.created': {
    createServiceApp: async () =>
      createAdminCall('CreateServiceApp', { name: 'a', service_name: `s-${randomUUID()}` }),
  },
  'service_app.updated': {
    updateServiceApp: async ({ service_app_id }) =>
      createAdminCall('UpdateServiceApp', { service_app_id, name: 'new' }),
  },
  'service_app.resources_changed': {
    createServiceApp: async () => ({
      ...createAdminCall('CreateServiceApp', {
        ...{ name: 'new', service_name: 'service' },
        api_resources: [{ uri: `https://${randomUUID()}.test`, name: 'API', scopes: [] }],
      }),
      writes: ['service_app.created', 'service_app.resources_changed'],
    }),
    updateServiceApp: async ({ service_app_id }) =>
      createAdminCall('UpdateServiceApp', {
        service_app_id,
        api_resources: [{ uri: `https://${randomUUID()}.test`, name: 'API', scopes: [] }],
      }),
  },
  'service_app.activated': {
    updateServiceApp: async ({ service_app_id }) => {
      await pool.query('update service_apps set is_active = false where id = $1', [service_app_id])
      return createAdminCall('UpdateServiceApp', { service_app_id, is_active: true })
    },
  },
  'service_app.deactivated': {
    updateServiceApp: async ({ service_app_id }) =>
      createAdminCall('UpdateServiceApp', { service_app_id, is_active: false }),
  },
  'service_app.key_rotated': {
    rotateServiceApp: async ({ service_app_id }) =>
      createAdminCall('RotateServiceApp', { service_app_id }),
  },
  'service_app.deleted': {
    deleteServiceApp: async ({ service_app_id }) =>
      createAdminCall('DeleteServiceApp', { service_app_id }),
  },
  'connection.created': {
    createConnection: async ({ workspace_id, connection }) => {
      const settings = { ...connectionSettings, issuer: connection.issuer }
      return createAdminCall('CreateConnection', { workspace_id, ...settings })
    },
  },
  'connection.updated': {
    updateConnection: async ({ connection: { ids } }) => {
      const changes = { name: 'New', scopes: [], domains: [] }
      return createAdminCall('UpdateConnection', { ...ids, ...changes })
    },
  },
  'connection.deleted': {
    deleteConnection: async ({ connection: { ids } }) => createAdminCall('DeleteConnection', ids),
  },
  'connection.domain_verified': {
    verifyConnectionDomain: async ({ connection: { ids } }) => {
      const domain = `${ids.connection_id}.example`
      const token = await seed.connectionDomain(ids.connection_id, ids.workspace_id, domain)
      environment.dns.records.set(domain, [`daikon-verification=${token}`])
      return createAdminCall('VerifyConnectionDomain', { ...ids, domain })
    },
  },
  'connection.domain_failing': {},
  'connection.domain_lapsed': {},
  'connection.member_joined': {},
  'connection.claims_missing': {},
  'connection.break_glass_used': {},
  'webhook.created': {
    createWebhook: async () =>
      createAdminCall('CreateWebhook', { url: 'https://hooks.example.com/a', events: [] }),
  },
  'webhook.updated': {
    updateWebhook: async ({ webhook_id }) =>
      createAdminCall('UpdateWebhook', { webhook_id, events: ['member.*'] }),
  },
  'webhook.secret_rotated': {
    rotateWebhook: async ({ webhook_id }) => createAdminCall('RotateWebhook', { webhook_id }),
  },
  'webhook.deactivated': {},
  'webhook.deleted': {
    deleteWebhook: async ({ webhook_id }) => createAdminCall('DeleteWebhook', { webhook_id }),
  },
  'client_app.created': {
    createClientApp: async () =>
      createAdminCall('CreateClientApp', { name: 'a', redirect_uris: ['https://a.example.com/'] }),
  },
  'client_app.updated': {
    updateClientApp: async ({ client_app_id }) =>
      createAdminCall('UpdateClientApp', { client_app_id, name: 'new', redirect_uris: [] }),
  },
  'client_app.secret_rotated': {
    rotateClientApp: async ({ client_app_id }) => {
      await pool.query("update client_apps set type = 'confidential' where id = $1", [
        client_app_id,
      ])
      return createAdminCall('RotateClientApp', { client_app_id })
    },
  },
  'client_app.activated': {
    updateClientApp: async ({ client_app_id }) => {
      await pool.query('update client_apps set is_active = false where id = $1', [client_app_id])
      return createAdminCall('UpdateClientApp', {
        client_app_id,
        is_active: true,
        redirect_uris: [],
      })
    },
  },
  'client_app.deactivated': {
    updateClientApp: async ({ client_app_id }) =>
      createAdminCall('UpdateClientApp', { client_app_id, is_active: false, redirect_uris: [] }),
  },
  'client_app.deleted': {
    deleteClientApp: async ({ client_app_id }) =>
      createAdminCall('DeleteClientApp', { client_app_id }),
  },
  'management_app.created': {
    createManagementApp: async () =>
      createAdminCall('CreateManagementApp', { name: 'a', scopes: ['users:read'] }),
  },
  'management_app.updated': {
    updateManagementApp: async () =>
      createAdminCall('UpdateManagementApp', {
        management_app_id: await seedManagementApp(environment),
        scopes: ['stats:read'],
      }),
  },
  'management_app.activated': {
    updateManagementApp: async () => {
      const management_app_id = await seedManagementApp(environment, { isActive: false })
      return createAdminCall('UpdateManagementApp', { management_app_id, is_active: true })
    },
  },
  'management_app.deactivated': {
    updateManagementApp: async () =>
      createAdminCall('UpdateManagementApp', {
        management_app_id: await seedManagementApp(environment),
        is_active: false,
      }),
  },
  'management_app.secret_rotated': {
    rotateManagementApp: async () =>
      createAdminCall('RotateManagementApp', {
        management_app_id: await seedManagementApp(environment),
      }),
  },
  'management_app.deleted': {
    deleteManagementApp: async () =>
      createAdminCall('DeleteManagementApp', {
        management_app_id: await seedManagementApp(environment),
      }),
  },
  'permission.registered': {
    register: async ({ fixture, workspace_id }) => ({
      method: 'Register',
      message: registration(fixture, workspace_id),
      credentials: { key: fixture.key },
    }),
    registerBatch: async ({ fixture, workspace_id }) => ({
      method: 'RegisterBatch',
      message: { resources: [registration(fixture, workspace_id)] },
      credentials: { key: fixture.key },
    }),
  },
  'permission.visibility_changed': {
    updateVisibility: async ({ permission_id, fixture }) => ({
      method: 'UpdateVisibility',
      message: { permission_id, visibility: 'workspace' },
      credentials: { key: fixture.key },
    }),
  },
  'permission.owner_changed': {
    transferOwnership: async ({ permission_id, fixture, member }) => ({
      method: 'TransferOwnership',
      message: { permission_id, owner_id: member },
      credentials: { key: fixture.key },
    }),
  },
  'permission.shared': {
    share: async ({ permission_id, fixture, member }) => ({
      method: 'Share',
      message: { permission_id, ...toUser(member) },
      credentials: fixture.as(fixture.people.owner),
    }),
    shareBatch: async ({ permission_id, fixture, member }) => ({
      method: 'ShareBatch',
      message: { shares: [{ permission_id, ...toUser(member) }] },
      credentials: fixture.as(fixture.people.owner),
    }),
  },
  'permission.link_created': {
    createLink: async ({ permission_id, fixture }) => ({
      method: 'CreateLink',
      message: { permission_id, permission: 'view' },
      credentials: fixture.as(fixture.people.owner),
    }),
  },
  'permission.link_revoked': {
    deleteLink: async ({ permission_id, fixture, transport }) => {
      const credentials = fixture.as(fixture.people.owner)
      const message = { permission_id, permission: 'view' }
      const { id } = expectOk(await transport.call('CreateLink', message, credentials))
      return {
        method: 'DeleteLink',
        message: { permission_id, link_id: id },
        credentials,
      }
    },
  },
  'permission.link_expired': {},
  'permission.parent_changed': {
    updateParent: async ({ permission_id, fixture }) => ({
      method: 'UpdateParent',
      message: { permission_id, inherits: false },
      credentials: { key: fixture.key },
    }),
  },
  'permission.attributes_changed': {
    updateAttributes: async ({ permission_id, fixture }) => ({
      method: 'UpdateAttributes',
      message: { permission_id, attributes: { blocked: true } },
      credentials: { key: fixture.key },
    }),
  },
  'permission.renamed': {
    updateResource: async ({ permission_id, fixture }) => ({
      method: 'UpdateResource',
      message: { permission_id, display_name: 'Roadmap' },
      credentials: { key: fixture.key },
    }),
  },
  'permission.unregistered': {
    unregister: async ({ permission_id, fixture }) => ({
      method: 'Unregister',
      message: { permission_id },
      credentials: { key: fixture.key },
    }),
  },
  'permission.tree_unregistered': {
    unregister: async ({ permission_id, fixture }) => ({
      method: 'Unregister',
      message: { permission_id, cascade: true },
      credentials: { key: fixture.key },
    }),
  },
  'permission.share_expired': {},
  'permission.share_revoked': {
    revokeShare: async ({ permission_id, fixture, member }) => {
      await fixture.share(fixture.people.owner, permission(permission_id), { user: member }, 'view')
      return {
        method: 'RevokeShare',
        message: { permission_id, ...toUser(member) },
        credentials: { key: fixture.key },
      }
    },
  },
  'activity.pruned': {},
}

for (const transport of environment.transports) {
  for (const [action, row] of Object.entries(activityEvents)) {
    for (const key of row.recordedBy) {
      const prepare = (eventCalls[action as ActivityEventName] as Record<string, Prepare>)[
        key
      ] as Prepare
      const make = async () => prepare(await createScene(transport))

      test.serial(`${action} is recorded once by ${key} over ${transport.label}`, async (t) => {
        const { method, message, credentials, fails, writes = [action] } = await make()
        const name = method.replace('AdminService/', '')
        t.is(name.charAt(0).toLowerCase() + name.slice(1), key)
        const before = await lastEntry()
        const outcome = await transport.call(method, message, credentials)
        if (fails) expectError(outcome)
        else expectOk(outcome)
        const { rows } = await pool.query('select * from activity where id > $1 order by id', [
          before,
        ])
        t.deepEqual(
          rows.map((entry) => entry.action),
          writes,
        )
        const entry = rows.find((entry) => entry.action === action)
        t.is(entry.target_type, row.target)
        const details = 'otherDetail' in row ? [row.detail, row.otherDetail] : [row.detail]
        const fields = Object.keys(entry.detail).sort().join()
        t.true(details.map((names) => names.toSorted().join()).includes(fields), fields)
        for (const value of Object.values(entry.detail)) t.regex(String(value), /./)
        const hasNoTarget = action.endsWith('.sign_in_failed')
        t.is(entry.target_id === null, hasNoTarget)
        t.is(
          entry.actor_id === null,
          hasNoTarget ||
            fails === true ||
            (action === 'user.link_refused' && key !== 'confirmAccountLink') ||
            (credentials?.key !== undefined && !credentials.token),
        )
      })

      // Atomicity does not depend on the transport.
      if (transport.name === 'grpc') continue
      test.serial(`${key} changes nothing when ${action} cannot be recorded`, async (t) => {
        const { method, message, credentials } = await make()
        const before = await everything()
        await pool.query('alter table activity enable trigger refuse')
        try {
          t.is(expectError(await transport.call(method, message, credentials)).code, 'unavailable')
        } finally {
          await pool.query('alter table activity disable trigger refuse')
        }
        t.deepEqual(await everything(), before)
      })
    }
  }
}

test('the filters of the log accept exactly the actions and target types of the table', async (t) => {
  const path = join(import.meta.dirname, '../../proto/daikon/v1/admin_records.proto')
  const lists = (await readFile(path, 'utf8')).matchAll(/one_of: \[([^\]]*)\]/g)
  const [actions, targets] = [...lists].map(([, list = '']) => list.match(/[\w.]+/g))
  t.deepEqual(actions?.sort(), Object.keys(activityEvents).sort())
  const known = new Set(Object.values(activityEvents).map(({ target }) => target))
  t.deepEqual(targets?.sort(), [...known].sort())
})

test('every handler named in the table exists', (t) => {
  const known = Object.values(
    createHandlers({ database: {}, services: { engine: {} }, settings: {} } as never),
  ).flatMap((service) => Object.keys(service))
  for (const [action, { recordedBy }] of Object.entries(activityEvents))
    for (const key of recordedBy) t.true(known.includes(key), `${action}: ${key}`)
})

type Prepare = (scene: Scene) => Promise<EventCall>

/** Makes the user of an address an administrator, who may have another address at the provider. */
function promoted(person: () => Promise<string>): () => Promise<string> {
  return async () => {
    const email = await person()
    await pool.query('update users set is_admin = true where email in ($1, $2)', [
      email,
      `old-${email}`,
    ])
    return email
  }
}

/** Links an account at a provider to a user; returns the id of the link. */
async function linkAccount(userId: string, provider: string): Promise<string> {
  const { rows } = await pool.query(
    `insert into linked_accounts (provider, subject, user_id, email)
     values ($1, gen_random_uuid(), $2, 'linked@example.com') returning id`,
    [provider, userId],
  )
  return rows[0].id
}

/** A fixture with one of every object that can be changed. */
async function createScene(transport: Transport) {
  const fixture = await createWorkspaceFixture(environment, transport)
  const workspace_id = fixture.workspace
  const member = fixture.people.viewer.id
  const service_action_id = await seed.serviceAction(fixture.service, 'publish')
  const known = async () => {
    const email = environment.addProviderUser()
    const { message } = await signInAtProvider(transport, 'github', email)
    expectOk(await transport.call('CompleteLogin', message))
    return email
  }
  /** A person without a workspace, who has not signed in yet. */
  const seeded = async () => {
    const email = environment.addProviderUser()
    await seed.user('seeded', { email })
    return email
  }
  /** A person whose address has changed since the last sign-in. */
  const moved = async () => {
    const email = await known()
    for (const table of ['users', 'linked_accounts'])
      await pool.query(`update ${table} set email = $1 where email = $2`, [`old-${email}`, email])
    return email
  }
  /** A member who has not signed in yet. */
  const invited = async () => {
    const email = environment.addProviderUser()
    await seed.member(workspace_id, await seed.user('invited', { email }))
    return email
  }
  /** A person whose address belongs to a user with another account of the provider. */
  const conflicting = async () => {
    const email = environment.addProviderUser()
    await linkAccount(await seed.user('known', { email }), 'github')
    return email
  }
  const withPasskey = async () => {
    const { token, userId } = await signInToAccount(transport, environment.addProviderUser())
    return { ...(await addPasskey(transport, token)), userId, credentials: { token } }
  }
  const signedIn = async (email = environment.addProviderUser()) => {
    const { tokens, exchange } = await signIn(transport, email, 'github')
    const credentials = { token: tokens.access_token as string }
    return {
      email,
      tokens,
      exchange,
      as: { credentials },
      findUser: async () => expectOk(await transport.call('GetMe', {}, credentials)).id,
      findSession: async () =>
        expectOk(await transport.call('ListSessions', {}, credentials)).sessions[0].id,
    }
  }
  /** The member on the account page. */
  const asAccount = async () => {
    const token = await signAccountToken(environment, member, workspace_id)
    return { id: member, credentials: { token } }
  }
  /** A user links the account of GitHub with an address. */
  const linking = async (email: string): Promise<EventCall> => {
    const user = await signInToAccountPage(environment, transport)
    const { choice } = await openLinkPage(transport, await signInToLink(transport, user, email))
    return { method: 'ConfirmAccountLink', message: choice ?? {} }
  }
  const oauth = async () => {
    const { tokens, client_id, browser_session } = await signInWithOAuth(environment, transport)
    return { ...tokens, client_id, browser_session } as Record<string, string>
  }
  const connection_id = await seed.connection(workspace_id, issuer)
  await seed.connectionDomain(connection_id, workspace_id, 'corp.example')
  const connection = { issuer, ids: { workspace_id, connection_id } }
  const [group, role_id, { id: service_app_id }, client_app_id, { id: permission_id }, webhook_id] =
    await Promise.all([
      seed.group(workspace_id, [member]),
      seed.customRole(workspace_id, [service_action_id], [member]),
      seed.serviceApp(`s-${randomUUID()}`),
      seed.clientApp([`https://app.example.com/${randomUUID()}`]),
      fixture.register(fixture.people.owner),
      seed.webhook('https://hooks.example.com/'),
    ])
  return {
    fixture,
    workspace_id,
    member,
    service_action_id,
    known,
    seeded,
    moved,
    invited,
    conflicting,
    transport,
    withPasskey,
    delegated: () =>
      insertDelegation(pool, { user_id: member, workspace_id, service_name: fixture.service }),
    connected: (userId: string) => seedGrant(environment, userId, workspace_id),
    signedIn,
    asAccount,
    linking,
    oauth,
    connection,
    group,
    role_id,
    service_app_id,
    client_app_id,
    permission_id,
    webhook_id,
    /** A call by a member of the fixture. */
    by: (role: keyof typeof fixture.people, method: string, message: object): EventCall => ({
      method,
      message: { ...message, ...(method !== 'CreateWorkspace' && { workspace_id }) },
      credentials: { token: fixture.people[role].token },
    }),
    /** A call by the fixture's service. */
    bySelf: (method: string, action: object): EventCall => ({
      method,
      message: { service_name: fixture.service, actions: [action] },
      credentials: { key: fixture.key },
    }),
    /** An import of one row that changes one column of a member. */
    bySheet: async (
      column: string,
      value: string,
      actions: ActivityEventName[],
      id = member,
    ): Promise<EventCall> => {
      const { rows } = await pool.query(
        `select u.email, w.slug from users u, workspaces w where u.id = $1 and w.id = $2`,
        [id, workspace_id],
      )
      const [{ email, slug }] = rows
      const csv = `email,workspace_slug,${column}\n${email},${slug},${value}\n`
      return {
        ...createAdminCall('ExecuteCsvImport', { csv }),
        writes: [...actions, 'import.executed'],
      }
    },
    /** A user returns from the identity provider; '' is a user who denied access. */
    comeBack: async (
      flow: 'Login' | 'AdminLogin',
      whom: () => Promise<string>,
    ): Promise<EventCall> => {
      const email = await whom()
      const { message } = await signInAtProvider(transport, 'github', email, {}, `Begin${flow}`)
      return { method: `Complete${flow}`, message }
    },
  }
}

function createAdminCall(method: string, message: object): EventCall {
  return { method: `AdminService/${method}`, message, credentials: byAdmin }
}

function registration({ kind, people }: Scene['fixture'], workspace_id: string) {
  return { ...kind, resource_id: randomUUID(), workspace_id, owner_id: people.owner.id }
}

function title() {
  return { name: 'new', slug: `w-${randomUUID()}` }
}

function toUser(grantee_id: string) {
  return { grantee_type: 'user', grantee_id, permission: 'view' }
}

function permission(id: string) {
  return { id, resource_id: '' }
}

async function lastEntry(): Promise<string> {
  const { rows } = await pool.query('select id from activity order by id desc limit 1')
  return rows[0]?.id ?? '00000000-0000-0000-0000-000000000000'
}

/**
 * A digest of every table, except for used sign-in states, which are retained even when a sign-in
 * fails.
 */
async function everything(): Promise<unknown> {
  const { rows: tables } = await pool.query(
    `select tablename as name from pg_tables where schemaname = 'public'
     and tablename not in ('used_states', 'migrations') order by 1`,
  )
  const digests = tables.map(
    ({ name }) =>
      `select '${name}', count(*), md5(string_agg(t::text, ' ' order by t::text)) from ${name} t`,
  )
  return (await pool.query(`${digests.join(' union all ')} order by 1`)).rows
}

/** Gives a new user support access. Returns the ID of the user. */
async function seedSupport(workspace: string): Promise<string> {
  const user = await seed.user('helper')
  await seed.member(workspace, user)
  await pool.query(
    "update members set support_reason = 'A ticket', expires_at = now() + interval '1 h' where user_id = $1",
    [user],
  )
  return user
}
