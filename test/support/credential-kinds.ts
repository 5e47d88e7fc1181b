import { randomUUID } from 'node:crypto'
import { createApiKey } from '../../src/identity/api-keys.ts'
import { hashSecret } from '../../src/identity/secret.ts'
import { accountClientId } from '../../src/identity/store/client-store.ts'
import { createAdmin } from './admin.ts'
import { type DelegationRow, insertDelegation } from './delegation-rows.ts'
import { seedManagementApp, seedServiceAccount } from './request-fixture.ts'
import { seedConnection, seedScimToken } from './scim.ts'
import type { TestEnvironment } from './test-environment.ts'
import type { WorkspaceFixture } from './workspace-fixture.ts'

/** The headers of a call, by the name of the kind of credential that they contain, alone or beside a service key. */
export type CredentialKinds = Record<string, Record<string, string>>

/** Creates a valid credential of each kind, all for the workspace of the fixture. */
export async function createCredentialKinds(
  environment: TestEnvironment,
  { workspace, service, people, key, appId }: WorkspaceFixture,
  scopes: string[],
): Promise<CredentialKinds> {
  const { app, pool, seed } = environment
  const { tokens } = app
  const admin = await createAdmin(environment)
  const claims = (sub: string) => ({
    ...{ sub, jti: randomUUID(), email: 'someone@example.com', name: 'someone' },
    ...{ wid: workspace, wslug: 'w', wrole: 'owner' as const, groups: [] },
  })
  const connection = await seedConnection(environment, workspace, `${randomUUID()}.example.org`)
  const session = { ...claims(people.owner.id), connection_id: connection }
  const guest = await seed.newMember(workspace, 'viewer')
  await pool.query('update members set is_guest = true where user_id = $1', [guest])
  const account = await seedServiceAccount(environment, workspace)
  const apiKey = createApiKey()
  await pool.query(
    `insert into api_keys (id, user_id, name, key_hash, key_prefix)
     values (gen_random_uuid(), $1, 'key', $2, 'da_')`,
    [account, hashSecret(apiKey)],
  )
  const client = await seed.clientApp([], { type: 'confidential', service_account_id: account })
  await pool.query(
    `insert into client_secrets (secret_hash, secret_prefix, app_id) values ($1, 'dkcs_', $2)`,
    [hashSecret('secret'), client],
  )
  const createManagementToken = async (granted: string[]) => {
    const sub = await seedManagementApp(environment)
    await pool.query('update management_apps set scopes = $2 where id = $1', [sub, granted])
    return app.tokens.sign('management', { sub, jti: randomUUID() }, lifetime)
  }
  const other = await seed.serviceApp(`other-${randomUUID()}`)
  const createResourceToken = async (app: string) => {
    const uri = `https://${randomUUID()}.example.com/api`
    await seed.apiResource(app, uri, ['read'])
    const ids = { sub: people.owner.id, jti: randomUUID(), wid: workspace, client_id: client }
    return tokens.signForResource({ ...ids, scope: 'read' }, uri, lifetime, new Date())
  }
  /** Creates a token of an agent that may view for a user, for everything or for an API of a service. */
  const createDelegatedToken = async (
    row: Pick<DelegationRow, 'service_name'> & Partial<DelegationRow>,
    app?: string,
  ) => {
    const sub = people.owner.id
    const delegation = { user_id: sub, workspace_id: workspace, agent_id: account, ...row }
    const delegation_id = await insertDelegation(pool, delegation)
    const uri = app && `https://${randomUUID()}.example.com/api`
    if (app && uri) await seed.apiResource(app, uri, ['read'])
    const act = { sub: account, typ: 'service_account' as const }
    const ids = { sub, jti: randomUUID(), wid: workspace, act, delegation_id }
    return tokens.signDelegated(ids, uri, lifetime, new Date())
  }
  const otherName = `delegated-${randomUUID()}`
  const delegating = await seed.serviceApp(otherName)
  const ended = { service_name: service, ended_at: new Date() }
  const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
  const serviceKey = { 'x-service-key': key }
  const seconds = Math.floor(Date.now() / 1000)
  const signAccount = (authentication: object) =>
    app.tokens.sign(
      'access',
      { ...claims(people.owner.id), client_id: accountClientId, scope: '', ...authentication },
      lifetime,
    )
  // Signed in after the test, so that a busy machine has time for it.
  const recent = { auth_time: seconds + lifetime }
  const withToken: CredentialKinds = {
    user: bearer(await app.tokens.sign('access', claims(people.owner.id), lifetime)),
    'user, signed in now': bearer(
      await app.tokens.sign(
        'access',
        { ...claims(people.owner.id), ...recent, client_id: client, step_up: true },
        lifetime,
      ),
    ),
    'account page': bearer(await signAccount(recent)),
    'account page, asked for the sign-in': bearer(
      await signAccount({ ...recent, auth_time_unconfirmed: true, step_up: true }),
    ),
    'account page, through a connection': bearer(
      await signAccount({ ...recent, step_up: true, connection_id: connection }),
    ),
    'account page, time not reported': bearer(
      await signAccount({ ...recent, auth_time_unconfirmed: true }),
    ),
    'account page, signed in earlier': bearer(await signAccount({ auth_time: seconds - 601 })),
    guest: bearer(await app.tokens.sign('access', claims(guest), lifetime)),
    "connection's session": bearer(await app.tokens.sign('access', session, lifetime)),
    "service account's token": bearer(await app.tokens.sign('access', claims(account), lifetime)),
    'API key': bearer(apiKey),
    'token for an API of the service': bearer(await createResourceToken(appId)),
    'token for an API of another service': bearer(await createResourceToken(other.id)),
    'delegated token': bearer(await createDelegatedToken({ service_name: service })),
    'delegated token for an API of the service': bearer(
      await createDelegatedToken({ service_name: service }, appId),
    ),
    'delegated token for an API of another service': bearer(
      await createDelegatedToken({ service_name: otherName }, delegating.id),
    ),
    'delegated token whose delegation has ended': bearer(await createDelegatedToken(ended)),
    'management app': bearer(await createManagementToken(scopes)),
    'management app without scopes': bearer(await createManagementToken([])),
    SCIM: bearer(await seedScimToken(environment, workspace)),
    'administrator by cookie': { cookie: `admin_token=${admin.token}`, origin: consoleOrigin },
    'administrator by Bearer': bearer(admin.token),
    'unknown token': bearer('x'),
  }
  return {
    none: {},
    ...withToken,
    'client credentials': { authorization: `Basic ${btoa(`${client}:secret`)}` },
    'service key': serviceKey,
    'service key by Bearer': bearer(key),
    ...Object.fromEntries(
      besideServiceKey.map((name) => [
        `service key, ${name}`,
        { ...serviceKey, ...withToken[name] },
      ]),
    ),
  }
}

/** The kinds that are also sent beside a service key. */
const besideServiceKey = [
  'user',
  "connection's session",
  'API key',
  'token for an API of the service',
  'token for an API of another service',
  'delegated token',
  'delegated token for an API of the service',
  'delegated token for an API of another service',
  'delegated token whose delegation has ended',
  'management app',
  'SCIM',
  'administrator by cookie',
  'unknown token',
]

/** Seconds that tokens are valid, longer than the test takes on a busy machine. */
const lifetime = 86_400

/** The origin of the pages that act with the administrator's cookie. */
const consoleOrigin = 'http://localhost:9004'
