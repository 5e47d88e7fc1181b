import { randomUUID } from 'node:crypto'
import type { ExecutionContext } from 'ava'
import { decodeJwt } from 'jose'
import * as openid from 'openid-client'
import type { Page } from 'playwright-core'
import { createAdmin } from '../support/admin.ts'
import {
  chooseUser,
  createBoundApp,
  openApplication,
  takePicture,
  testApplication,
} from '../support/applications.ts'
import { connectToProvider } from '../support/connections.ts'
import {
  createKeycloakUser,
  type Keycloak,
  keycloakFile,
  keycloakPassword,
  startKeycloak,
} from '../support/keycloak.ts'
import { type OAuthIssuer, startCallbackServer, startIssuer } from '../support/oauth-issuer.ts'
import { beginSignIn } from '../support/openid-client.ts'
import { expectError, expectOk } from '../support/outcome.ts'
import type { Transport } from '../support/transports.ts'

/** Signs in to a client app of an issuer in a browser. `act` signs in from its first page on. */
async function signIn(
  page: Page,
  { issuer, clientId, uri }: { issuer: string; clientId: string; uri: string },
  parameters: Record<string, string>,
  act: () => Promise<void>,
) {
  const { config, start, grant } = await beginSignIn(issuer, clientId, uri, parameters)
  await page.goto(start.href)
  await act()
  await page.waitForURL(`${uri}?**`)
  const redirect = new URL(page.url())
  return {
    config,
    error: redirect.searchParams.get('error_description'),
    exchange: () => grant(redirect),
  }
}

/** Signs in on the page of Keycloak. */
async function enterPassword(page: Page, email: string): Promise<void> {
  await page.locator('#username').fill(email)
  await page.locator('#password').fill(keycloakPassword)
  await page.locator('#kc-login').click()
}

/** Connects a workspace to a new realm with a client for daikon, as docs/connections.md describes. */
async function connectToRealm(
  {
    environment,
    transport,
    keycloak,
  }: {
    environment: Parameters<typeof connectToProvider>[0]
    transport: Transport
    keycloak: Keycloak
  },
  realm: string,
  users: object[],
) {
  const client = { id: randomUUID(), clientId: 'daikon', secret: `secret of ${realm}` }
  const inIdToken = { 'id.token.claim': 'true', 'access.token.claim': 'false' }
  const issuer = await keycloak.createRealm(realm, {
    roles: { realm: [{ name: 'staff' }] },
    groups: [{ name: 'engineering' }],
    users,
    clients: [
      {
        ...client,
        attributes: { 'pkce.code.challenge.method': 'S256' },
        protocolMappers: [
          {
            name: 'roles',
            protocol: 'openid-connect',
            protocolMapper: 'oidc-usermodel-realm-role-mapper',
            config: { 'claim.name': 'roles', multivalued: 'true', ...inIdToken },
          },
          {
            name: 'groups',
            protocol: 'openid-connect',
            protocolMapper: 'oidc-group-membership-mapper',
            config: { 'claim.name': 'groups', 'full.path': 'false', ...inIdToken },
          },
        ],
      },
    ],
  })
  const connected = await connectToProvider(environment, transport, `${realm}.example`, {
    ...{ issuer, client_id: client.clientId, client_secret: client.secret },
  })
  const group = await environment.seed.group(connected.workspace_id)
  const mapping = {
    ...{ role_claim: 'roles', roles: { staff: 'editor' } },
    ...{ groups_claim: 'groups', groups: { engineering: group } },
  }
  expectOk(await connected.change({ mapping }))
  /** Makes these URIs those of daikon, at which the realm answers. */
  const setRedirectUris = (...redirectUris: string[]) =>
    keycloak.administer('PUT', `/${realm}/clients/${client.id}`, { ...client, redirectUris })
  const { redirect_uri } = connected.connection
  await setRedirectUris(redirect_uri)
  return { ...connected, group, issuer, redirect_uri: redirect_uri as string, setRedirectUris }
}

type Servers = {
  t: ExecutionContext
  daikon: OAuthIssuer
  keycloak: Keycloak
}

// One test, because Keycloak takes most of the time to start.
testApplication('Keycloak signs in to daikon, and by daikon', [keycloakFile], async (t) => {
  const daikon = await startIssuer()
  t.teardown(() => daikon.stop())
  const keycloak = await startKeycloak(t)
  // First, because the page of daikon asks for an address once there are connections.
  await signInByBroker({ t, daikon, keycloak })
  await signInByRealms({ t, daikon, keycloak })
})

/** Signs members of two workspaces in, each by its realm. */
async function signInByRealms({ t, daikon, keycloak }: Servers): Promise<void> {
  const [, rest] = daikon.environment.transports as [Transport, Transport]
  const environment = { ...daikon.environment, admin: await createAdmin(daikon.environment) }
  const ann = 'ann@alpha.example'
  const bob = 'bob@beta.example'
  const rights = { realmRoles: ['staff'], groups: ['/engineering'] }
  const connect = (realm: string, ...users: object[]) =>
    connectToRealm({ environment, transport: rest, keycloak }, realm, users)
  const alpha = await connect('alpha', createKeycloakUser(ann, rights))
  // The administrator of this realm claims an address of the other one.
  const beta = await connect('beta', createKeycloakUser(bob), createKeycloakUser(ann, rights))
  const uri = `${await startCallbackServer(t)}/callback`
  const { client_id: clientId } = await daikon.createClient(uri)
  const page = await openApplication(t)
  const begin = async (parameters: { connection?: string }, act: () => Promise<void>) => {
    await page.context().clearCookies()
    return signIn(page, { issuer: daikon.issuer, clientId, uri }, parameters, async () => {
      // Otherwise, the user has entered an address of this organization.
      if (parameters.connection) await page.getByRole('link', { name: /^Continue to / }).click()
      await act()
    })
  }

  const first = await begin({}, async () => {
    await takePicture(page, 'keycloak-address')
    await page.getByLabel('E-mail address').fill(ann)
    await page.getByRole('button').click()
    await page.locator('#password').waitFor()
    t.true(page.url().startsWith(`${alpha.issuer}/`))
    t.is(await page.locator('#username').inputValue(), ann)
    await takePicture(page, 'keycloak-sign-in')
    await enterPassword(page, ann)
  })
  const token = (await first.exchange()).access_token
  const { workspace_id } = alpha
  t.like(decodeJwt(token), {
    ...{ wid: workspace_id, wrole: 'editor', groups: [alpha.group] },
    ...{ email: ann, name: 'ann Example', connection_id: alpha.connection_id },
  })
  const other = { name: 'Other', slug: 'other' }
  const created = await rest.call('WorkspaceService/CreateWorkspace', other, { token })
  t.is(expectError(created).reason, 'CONNECTION_SESSION')
  const { workspaces } = expectOk(await rest.call('ListWorkspaces', {}, { token }))
  t.deepEqual(
    workspaces.map(({ id }: { id: string }) => id),
    [workspace_id],
  )

  const connection = beta.connection_id
  const second = await begin({ connection }, () => enterPassword(page, bob))
  t.like(decodeJwt((await second.exchange()).access_token), {
    ...{ wid: beta.workspace_id, wrole: 'viewer', email: bob },
  })
  const impostor = await begin({ connection }, () => enterPassword(page, ann))
  t.regex(impostor.error ?? 'none', /outside the verified domains/)

  // Somebody answers a sign-in at one realm with a code of the other one.
  await beta.setRedirectUris(beta.redirect_uri, alpha.redirect_uri)
  const mixedUp = await begin({ connection: alpha.connection_id }, async () => {
    await page.locator('#password').waitFor()
    const request = new URL(page.url())
    const url = `${beta.issuer}/protocol/openid-connect/auth${request.search}`
    await page.goto(url)
    await takePicture(page, 'keycloak-mix-up')
    await enterPassword(page, bob)
  })
  t.regex(mixedUp.error ?? 'none', /response/)
}

/** Signs in to Keycloak by daikon, as docs/applications.md describes. */
async function signInByBroker({ t, daikon, keycloak }: Servers): Promise<void> {
  const { issuer } = daikon
  const uri = `${await startCallbackServer(t)}/callback`
  const broker = `${keycloak.url}/realms/broker/broker/daikon/endpoint`
  const app = await createBoundApp(daikon, broker, 'owner', {
    post_logout_redirect_uris: [`${broker}/logout_response`],
  })
  const editor = await app.addMember('editor')
  const realm = await keycloak.createRealm('broker', {
    roles: { realm: [{ name: 'administrator' }] },
    clients: [
      {
        ...{ clientId: 'app', publicClient: true, redirectUris: [uri] },
        attributes: { 'post.logout.redirect.uris': uri },
      },
    ],
    identityProviders: [
      {
        ...{ alias: 'daikon', providerId: 'oidc', enabled: true, trustEmail: true },
        config: {
          ...{ issuer, clientId: app.id, clientSecret: app.secret },
          authorizationUrl: `${issuer}/oauth/authorize`,
          tokenUrl: `${issuer}/oauth/token`,
          userInfoUrl: `${issuer}/oauth/userinfo`,
          jwksUrl: `${issuer}/.well-known/jwks.json`,
          logoutUrl: `${issuer}/oauth/logout`,
          ...{ useJwksUrl: 'true', validateSignature: 'true' },
          ...{ clientAuthMethod: 'client_secret_post', pkceEnabled: 'true', pkceMethod: 'S256' },
          ...{ defaultScope: 'openid profile email roles groups', syncMode: 'FORCE' },
        },
      },
    ],
    identityProviderMappers: [
      {
        ...{ name: 'owners', identityProviderAlias: 'daikon' },
        identityProviderMapper: 'oidc-role-idp-mapper',
        config: {
          ...{ syncMode: 'INHERIT', claim: 'roles', 'claim.value': 'owner' },
          role: 'administrator',
        },
      },
    ],
  })
  const page = await openApplication(t)
  const client = { issuer: realm, clientId: 'app', uri }
  for (const [email, isAdministrator] of [
    [app.email, true],
    [editor, false],
  ] as const) {
    const { config, exchange } = await signIn(page, client, {}, async () => {
      await page.locator('#social-daikon').click()
      await chooseUser(page, email)
    })
    const tokens = await exchange()
    t.like(decodeJwt(tokens.access_token), { email, email_verified: true })
    const { roles } = decodeJwt<{ realm_access: { roles: string[] } }>(
      tokens.access_token,
    ).realm_access
    t.is(roles.includes('administrator'), isAdministrator, email)
    const end = openid.buildEndSessionUrl(config, {
      ...{ id_token_hint: tokens.id_token ?? '', post_logout_redirect_uri: uri },
    })
    await page.goto(end.href)
    await page.waitForURL(uri)
  }
}
