// Third-party libraries sign users in without modification.
import { execFile, spawn, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { promisify } from 'node:util'
import test, { type ExecutionContext } from 'ava'
import {
  decodeJwt,
  exportJWK,
  exportPKCS8,
  type GenerateKeyPairResult,
  generateKeyPair,
} from 'jose'
import OidcProvider from 'oidc-provider'
import * as openid from 'openid-client'
import { findFreePort } from '../../../src/core/free-port.ts'
import { hasBrowser, openBrowserPage } from '../../support/browser.ts'
import { insertDelegation } from '../../support/delegation-rows.ts'
import {
  createCookieJar,
  follow,
  startCallbackServer,
  startIssuer,
} from '../../support/oauth-issuer.ts'
import { oauth2Proxy } from '../../support/oauth2-proxy.ts'
import { beginSignIn } from '../../support/openid-client.ts'
import { seedServiceAccount } from '../../support/request-fixture.ts'

// Imported through a variable so that its types are not loaded: they refer to the DOM types, which
// change Node's.
const authJs: string = '@auth/core'
const { Auth } = await import(authJs)
const daikon = await startIssuer()
const { issuer, environment } = daikon
test.after.always(() => daikon.stop())

const runFile = promisify(execFile)

const callback = 'https://rp.example.com/cb'
const postLogoutUri = 'https://rp.example.com/bye'
const insecure = { execute: [openid.allowInsecureRequests] }

/** Signs in at an OpenID provider as a public client, with openid-client. */
async function signInWith(
  server: string,
  clientId: string,
  uri: string,
  parameters: Record<string, string> = {},
) {
  const more = { scope: 'openid', ...parameters }
  const { start, grant } = await beginSignIn(server, clientId, uri, more)
  return grant(await follow(start, uri))
}

for (const [title, type, authentication] of [
  ['a public client', 'public', undefined],
  ['client_secret_basic', 'confidential', openid.ClientSecretBasic],
  ['client_secret_post', 'confidential', openid.ClientSecretPost],
] as const) {
  test(`openid-client signs in, refreshes and signs out with ${title}`, async (t) => {
    const row = { type, post_logout_redirect_uris: [postLogoutUri] }
    const { client_id, client_secret } = await daikon.createClient(callback, row)
    const method = authentication?.(client_secret) ?? openid.None()
    const config = await openid.discovery(new URL(issuer), client_id, undefined, method, insecure)
    t.true(config.serverMetadata().supportsPKCE())
    const pkceCodeVerifier = openid.randomPKCECodeVerifier()
    const expectedState = openid.randomState()
    const expectedNonce = openid.randomNonce()
    const email = environment.addProviderUser()
    const start = openid.buildAuthorizationUrl(config, {
      redirect_uri: callback,
      scope: 'openid profile email',
      code_challenge: await openid.calculatePKCECodeChallenge(pkceCodeVerifier),
      code_challenge_method: 'S256',
      state: expectedState,
      nonce: expectedNonce,
      login_hint: email,
      max_age: '600',
    })
    const redirected = await follow(start, callback)
    const checks = { pkceCodeVerifier, expectedState, expectedNonce, maxAge: 600 }
    const tokens = await openid.authorizationCodeGrant(config, redirected, checks)
    const claims = tokens.claims()
    t.is(claims?.email, email)
    const { sub = '' } = claims ?? {}
    t.is((await openid.fetchUserInfo(config, tokens.access_token, sub)).email, email)
    const next = await openid.refreshTokenGrant(config, tokens.refresh_token ?? '')
    t.is(next.claims()?.sub, sub)
    await openid.tokenRevocation(config, next.access_token)
    const revoked = openid.fetchUserInfo(config, next.access_token, sub)
    t.is(((await t.throwsAsync(revoked)) as { status?: number }).status, 401)
    const end = openid.buildEndSessionUrl(config, {
      id_token_hint: next.id_token ?? '',
      post_logout_redirect_uri: postLogoutUri,
    })
    t.is((await follow(end, postLogoutUri)).href, postLogoutUri)
    const error = await t.throwsAsync(openid.refreshTokenGrant(config, next.refresh_token ?? ''))
    t.is((error as openid.ResponseBodyError).error, 'invalid_grant')
  })
}

test('openid-client reports that a user is not a member of the workspace of a bound app', async (t) => {
  const uri = 'https://bound.example.com/cb'
  const row = { workspace_id: await environment.seed.workspace('Company') }
  const { client_id } = await daikon.createClient(uri, row)
  const signIn = signInWith(issuer, client_id, uri, { login_hint: environment.addProviderUser() })
  const error = await t.throwsAsync(signIn, { instanceOf: openid.AuthorizationResponseError })
  t.is(error?.error, 'access_denied')
  t.regex(error?.error_description ?? '', /not a member of the workspace/)
})

test('Auth.js signs in', async (t) => {
  const origin = 'http://localhost:3210'
  const client = await daikon.createClient(`${origin}/auth/callback/daikon`, {
    type: 'confidential',
  })
  const config = {
    basePath: '/auth',
    secret: 'a secret of the test application',
    trustHost: true,
    providers: [
      {
        id: 'daikon',
        name: 'daikon',
        type: 'oidc',
        issuer,
        clientId: client.client_id,
        clientSecret: client.client_secret ?? '',
        checks: ['pkce', 'state', 'nonce'],
      },
    ],
  }
  const jar = createCookieJar()
  const send = async (path: string, init: RequestInit = {}) => {
    const headers = { ...init.headers, cookie: jar.header() }
    const request = new Request(new URL(path, origin), { ...init, headers })
    const response = (await Auth(request, config)) as Response
    jar.read(response)
    return response
  }
  const { csrfToken } = (await (await send('/auth/csrf')).json()) as { csrfToken: string }
  const login = await send('/auth/signin/daikon', {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ csrfToken, callbackUrl: origin }).toString(),
  })
  const email = environment.addProviderUser()
  const start = new URL(login.headers.get('location') ?? '')
  start.searchParams.set('login_hint', email)
  const redirected = await follow(start, `${origin}/auth/callback/daikon`)
  await send(redirected.href)
  const session = (await (await send('/auth/session')).json()) as { user?: { email: string } }
  t.is(session.user?.email, email)
})

test('oidc-provider federates to daikon as its upstream', async (t) => {
  let handle: ReturnType<InstanceType<typeof OidcProvider>['callback']> | undefined
  let interact:
    | ((request: IncomingMessage, response: ServerResponse, path: string) => Promise<unknown>)
    | undefined
  const callbackServer = await startCallbackServer(t, async (request, response) => {
    const path = request.url ?? ''
    if (path.startsWith('/interaction/')) return interact?.(request, response, path)
    return handle?.(request, response)
  })
  const client = await daikon.createClient(`${callbackServer}/interaction/callback`, {
    type: 'confidential',
  })
  const upstream = await openid.discovery(
    new URL(issuer),
    client.client_id,
    client.client_secret,
    undefined,
    insecure,
  )
  const provider = new OidcProvider(callbackServer, {
    clients: [
      {
        client_id: 'app',
        redirect_uris: [callback],
        token_endpoint_auth_method: 'none',
      },
    ],
    cookies: { keys: ['key'] },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_, { uid }) => `/interaction/${uid}` },
    findAccount: (_, sub) => ({ accountId: sub, claims: () => ({ sub }) }),
  })
  handle = provider.callback()
  const email = environment.addProviderUser()
  const verifier = openid.randomPKCECodeVerifier()
  let upstreamSubject = ''
  interact = async (request, response, path) => {
    const send = (location: string | URL) =>
      response.writeHead(303, { location: String(location) }).end()
    if (!path.startsWith('/interaction/callback')) {
      response.setHeader('set-cookie', `interaction=${path}; Path=/interaction`)
      const start = openid.buildAuthorizationUrl(upstream, {
        redirect_uri: `${callbackServer}/interaction/callback`,
        scope: 'openid email',
        code_challenge: await openid.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
        login_hint: email,
      })
      return send(start)
    }
    const tokens = await openid.authorizationCodeGrant(upstream, new URL(path, callbackServer), {
      pkceCodeVerifier: verifier,
    })
    upstreamSubject = tokens.claims()?.sub ?? ''
    const grant = new provider.Grant({ accountId: upstreamSubject, clientId: 'app' })
    grant.addOIDCScope('openid')
    const result = {
      login: { accountId: upstreamSubject },
      consent: { grantId: await grant.save() },
    }
    const { req, res } = { req: request as never, res: response as never }
    await provider.interactionFinished(req, res, result)
  }
  const tokens = await signInWith(callbackServer, 'app', callback)
  t.is(tokens.claims()?.sub, upstreamSubject)
  const { rows } = await environment.pool.query('select id from users where email = $1', [email])
  t.is(rows[0].id, upstreamSubject)
})

const browserTest = hasBrowser ? test : test.skip

browserTest('oidc-client-ts signs in, renews silently and signs out in Chromium', async (t) => {
  const library = join(
    import.meta.dirname,
    '../../../node_modules/oidc-client-ts/dist/browser/oidc-client-ts.min.js',
  )
  const script = await readFile(library, 'utf8')
  const documents = {
    '/oidc.js': script,
    // The page that the hidden frame loads.
    '/silent': `<!doctype html><script src="/oidc.js"></script>
      <script>new oidc.UserManager({}).signinSilentCallback(location.href)</script>`,
  }
  const app = await startCallbackServer(t, (request, response) => {
    const [path] = (request.url ?? '').split('?') as [keyof typeof documents]
    response.setHeader('content-type', path === '/oidc.js' ? 'text/javascript' : 'text/html')
    response.end(documents[path] ?? '<!doctype html><script src="/oidc.js"></script>')
  })
  const uri = `${app}/callback`
  const { client_id } = await daikon.createClient([uri, `${app}/silent`], {
    post_logout_redirect_uris: [`${app}/signed-out`],
  })
  const email = environment.addProviderUser()
  const page = await openBrowserPage(t)
  const settings = {
    authority: issuer,
    client_id,
    redirect_uri: uri,
    silent_redirect_uri: `${app}/silent`,
    silentRequestTimeoutInSeconds: 60,
    post_logout_redirect_uri: `${app}/signed-out`,
    scope: 'openid profile email',
    loadUserInfo: true,
    extraQueryParams: { login_hint: email },
  }
  /** Runs code with the UserManager of the library. */
  const run = (code: string) =>
    page.evaluate(
      `(async () => {
        const manager = new oidc.UserManager(${JSON.stringify(settings)});
        const summary = ({ profile, access_token, expired }) => ({ profile, access_token, expired });
        ${code}
      })()`,
    ) as Promise<any>
  await page.goto(app)
  await Promise.all([page.waitForURL(`${uri}?*`), run('void manager.signinRedirect()')])
  const user = await run('return summary(await manager.signinRedirectCallback())')
  t.is(user.profile.email, email)
  const refreshed = await run('return summary(await manager.signinSilent())')
  t.not(refreshed.access_token, user.access_token)
  // Renews in a hidden frame with the browser session.
  const framed = await run('return summary(await manager.signinSilent({ forceIframeAuth: true }))')
  t.is(framed.profile.sub, user.profile.sub)
  t.not(framed.access_token, refreshed.access_token)
  await Promise.all([page.waitForURL(`${app}/signed-out*`), run('void manager.signoutRedirect()')])
  const silent = await run(
    'return manager.signinSilent({ forceIframeAuth: true }).catch((error) => error.error)',
  )
  t.is(silent, 'login_required')
})

/** Runs a client in another language against the issuer; it prints the claims as JSON. */
async function runClient(
  t: ExecutionContext,
  command: string,
  parameters: string[],
  cwd: string,
  row: object = {},
) {
  const redirect = await startCallbackServer(t)
  const uri = `${redirect}/callback`
  const client = await daikon.createClient(uri, { type: 'confidential', ...row })
  const email = environment.addProviderUser()
  const { client_id, client_secret = '' } = client
  const child = spawn(command, [...parameters, issuer, client_id, client_secret, uri, email], {
    cwd,
  })
  let output = ''
  let errors = ''
  child.stdout.on('data', (chunk) => (output += chunk))
  child.stderr.on('data', (chunk) => (errors += chunk))
  const status = await new Promise((resolve) => child.on('close', resolve))
  if (status !== 0) throw new Error(`${command} ended with ${status}: ${errors}`)
  const claims = JSON.parse(output)
  t.is(claims.id_token.email, email)
  t.is(claims.userinfo.email, email)
  t.is(decodeJwt(claims.refreshed).sub, claims.id_token.sub)
}

/**
 * Starts a web application that does not use PKCE, signs a user in at `path` and compares the user
 * whom the application returns at `userPath`.
 */
async function signInToWebApp(
  t: ExecutionContext,
  app: { path: string; callbackPath: string; userPath: string; cwd: string },
  createCommand: (client: { id: string; secret: string; port: string }) => string[],
) {
  const port = String(await findFreePort())
  const origin = `http://localhost:${port}`
  const client = await daikon.createClient(`${origin}${app.callbackPath}`, withoutPkce)
  const { client_id: id, client_secret: secret = '' } = client
  const [command = '', ...parameters] = createCommand({ id, secret, port })
  const child = spawn(command, parameters, { cwd: app.cwd })
  t.teardown(() => child.kill())
  let output = ''
  child.stdout.on('data', (chunk) => (output += chunk))
  child.stderr.on('data', (chunk) => (output += chunk))
  while (!(await fetch(origin, { redirect: 'manual' }).catch(() => undefined))) {
    if (child.exitCode !== null) throw new Error(`${command} ended: ${output}`)
    await setTimeout(100)
  }
  const jars = new Map<string, ReturnType<typeof createCookieJar>>()
  const start = await follow(`${origin}${app.path}`, `${issuer}/oauth/authorize`, jars)
  t.false(start.searchParams.has('code_challenge'))
  const email = environment.addProviderUser()
  start.searchParams.set('login_hint', email)
  const end = await follow(start, `${origin}${app.userPath}`, jars)
  const headers = { cookie: jars.get(origin)?.header() ?? '' }
  const response = await fetch(end, { headers, redirect: 'manual' })
  const text = await response.text()
  t.is(response.status, 200, `${text}\n${output}`)
  const { rows } = await environment.pool.query('select id from users where email = $1', [email])
  const { sub, user = sub, email: returned } = JSON.parse(text)
  t.deepEqual([user, returned], [rows[0].id, email])
}

const withoutPkce = { type: 'confidential', pkce_required: false }

const clients = join(import.meta.dirname, '../../support/oauth-clients')
const venvPython = join(clients, 'python/.venv/bin/python')
const python = existsSync(venvPython) ? venvPython : 'python3'
const hasAuthlib = spawnSync(python, ['-c', 'import authlib, requests']).status === 0
const authlibTest = hasAuthlib ? test : test.skip

authlibTest('Authlib signs in, verifies the ID token and refreshes', async (t) => {
  await runClient(t, python, ['authlib_client.py'], join(clients, 'python'))
})

const hasRequestsOAuthlib = spawnSync(python, ['-c', 'import requests_oauthlib']).status === 0
const oauthlibTest = hasRequestsOAuthlib ? test : test.skip

oauthlibTest('requests-oauthlib signs in without PKCE and refreshes', async (t) => {
  const folder = join(clients, 'python')
  await runClient(t, python, ['requests_oauthlib_client.py'], folder, withoutPkce)
})

const passportFolder = join(clients, 'node')
const hasPassport = existsSync(join(passportFolder, 'node_modules'))
const passportTest = hasPassport ? test : test.skip

for (const strategy of ['oauth2', 'openidconnect']) {
  passportTest(`passport-${strategy} signs in without PKCE`, async (t) => {
    const paths = { path: '/login', callbackPath: '/callback', userPath: '/me' }
    const app = { ...paths, cwd: passportFolder }
    await signInToWebApp(t, app, ({ id, secret, port }) => [
      process.execPath,
      'passport-client.js',
      issuer,
      id,
      secret,
      port,
      strategy,
    ])
  })
}

const proxyTest = oauth2Proxy ? test : test.skip

proxyTest('oauth2-proxy signs in without PKCE', async (t) => {
  const userPath = '/oauth2/userinfo'
  const path = `/oauth2/start?rd=${userPath}`
  const app = { path, callbackPath: '/oauth2/callback', userPath, cwd: clients }
  await signInToWebApp(t, app, ({ id, secret, port }) => [
    oauth2Proxy ?? '',
    '--provider=oidc',
    `--oidc-issuer-url=${issuer}`,
    `--client-id=${id}`,
    `--client-secret=${secret}`,
    `--redirect-url=http://localhost:${port}/oauth2/callback`,
    `--http-address=127.0.0.1:${port}`,
    '--email-domain=*',
    '--cookie-secret=0123456789abcdef0123456789abcdef',
    '--cookie-secure=false',
    '--upstream=static://202',
  ])
})

const goFolder = join(clients, 'go')
const goBinary = join(goFolder, 'client')
const goTest = existsSync(goBinary) ? test : test.skip

goTest('go-oidc with golang.org/x/oauth2 signs in and refreshes', async (t) => {
  await runClient(t, goBinary, [], goFolder)
})

const javaFolder = join(clients, 'java')
const hasJava = existsSync(join(javaFolder, 'classes'))
const javaTest = hasJava ? test : test.skip

javaTest('Spring Security accepts access tokens, and no other tokens', async (t) => {
  const { client_id } = await daikon.createClient(callback)
  const parameters = { login_hint: environment.addProviderUser() }
  const tokens = await signInWith(issuer, client_id, callback, parameters)
  const { access_token, id_token = '', refresh_token = '' } = tokens
  const [header, payload, signature = ''] = access_token.split('.')
  const forged = [header, payload, signature.split('').reverse().join('')].join('.')
  const { sub = '', aud } = decodeJwt(access_token)
  const { stdout, stderr } = await runFile(
    'java',
    [
      '-cp',
      'classes:lib/*',
      'ResourceServer',
      issuer,
      String(aud),
      client_id,
      access_token,
      id_token,
      refresh_token,
      forged,
    ],
    { cwd: javaFolder },
  )
  t.deepEqual(stdout.trim().split('\n'), [sub, 'rejected', 'rejected', 'rejected'], stderr)
})

javaTest('the default login of Spring Boot signs in without PKCE', async (t) => {
  const paths = { path: '/me', callbackPath: '/login/oauth2/code/daikon', userPath: '/me' }
  const app = { ...paths, cwd: javaFolder }
  const oauth = '--spring.security.oauth2.client'
  await signInToWebApp(t, app, ({ id, secret, port }) => [
    'java',
    '-cp',
    'classes:lib/*',
    'login.LoginApplication',
    `--server.port=${port}`,
    `${oauth}.registration.daikon.client-id=${id}`,
    `${oauth}.registration.daikon.client-secret=${secret}`,
    `${oauth}.registration.daikon.scope=openid,profile,email`,
    `${oauth}.provider.daikon.issuer-uri=${issuer}`,
  ])
})

if (!hasBrowser) console.info('Chromium is not installed: oidc-client-ts is not tested')
if (!hasAuthlib) console.info('Authlib is not installed: see test/support/oauth-clients/install')
if (!hasRequestsOAuthlib)
  console.info('requests-oauthlib is not installed: see test/support/oauth-clients/install')
if (!hasPassport) console.info('Passport is not installed: see test/support/oauth-clients/install')
if (!existsSync(goBinary))
  console.info('go-oidc is not built: see test/support/oauth-clients/install')
if (!hasJava)
  console.info('Spring Security is not installed: see test/support/oauth-clients/install')

test.after('no internal errors occurred', (t) => t.deepEqual(environment.failures, []))

/** Creates a client app that is bound to a service account. Returns its credentials. */
async function createMachine(jwks?: object) {
  const { pool, seed } = environment
  const workspace = await seed.workspace('Company')
  const account = await seedServiceAccount(environment, workspace)
  const { client_id, client_secret = '' } = await daikon.createClient(
    `https://machine.example.com/${account}`,
    { type: 'confidential', service_account_id: account, ...(jwks && { jwks }) },
  )
  const { rows } = await pool.query('select slug from workspaces where id = $1', [workspace])
  return { client_id, client_secret, account, slug: rows[0].slug as string }
}

test('openid-client exchanges a token of a person, and a delegation', async (t) => {
  const { pool, seed } = environment
  const workspace_id = await seed.workspace('Company')
  const user_id = await seed.newMember(workspace_id, 'editor')
  const service_name = `s-${workspace_id}`
  await seed.serviceApp(service_name)
  const { client_id, client_secret } = await daikon.createClient('https://agent.example.com/cb', {
    type: 'confidential',
  })
  const agent = { agent_type: 'client' as const, agent_id: client_id }
  const row = { user_id, workspace_id, service_name, ...agent }
  const delegation = await insertDelegation(pool, row)
  const method = openid.ClientSecretBasic(client_secret)
  const config = await openid.discovery(new URL(issuer), client_id, undefined, method, insecure)
  const types = 'params:oauth:token-type'
  const forms = [
    {
      subject_token: await environment.token(user_id, workspace_id),
      subject_token_type: `urn:ietf:${types}:access_token`,
    },
    { subject_token: delegation, subject_token_type: `urn:daikon:${types}:delegation` },
  ]
  for (const form of forms) {
    const grant = 'urn:ietf:params:oauth:grant-type:token-exchange'
    const tokens = await openid.genericGrantRequest(config, grant, form)
    t.is(tokens.issued_token_type, `urn:ietf:${types}:access_token`)
    t.like(decodeJwt(tokens.access_token), { sub: user_id, delegation_id: delegation })
  }
})

const tokenUrl = `${issuer}/oauth/token`

for (const [title, authenticate] of [
  ['client_secret_basic', ({ client_secret }) => openid.ClientSecretBasic(client_secret)],
  ['client_secret_post', ({ client_secret }) => openid.ClientSecretPost(client_secret)],
  ['private_key_jwt', ({ key }) => openid.PrivateKeyJwt({ key, kid: 'machine' })],
] as [
  string,
  (machine: {
    client_secret: string
    key: GenerateKeyPairResult['privateKey']
  }) => openid.ClientAuth,
][]) {
  test(`openid-client obtains a token for a service account with ${title}`, async (t) => {
    const { publicKey, privateKey: key } = await generateKeyPair('ES256')
    const jwk = { ...(await exportJWK(publicKey)), kid: 'machine' }
    const machine = await createMachine({ keys: [jwk] })
    const method = authenticate({ ...machine, key })
    const config = await openid.discovery(
      new URL(issuer),
      machine.client_id,
      undefined,
      method,
      insecure,
    )
    const tokens = await openid.clientCredentialsGrant(config)
    t.is(tokens.expires_in, 900)
    t.like(decodeJwt(tokens.access_token), { sub: machine.account, wslug: machine.slug })
  })
}

for (const method of ['client_secret_basic', 'client_secret_post', 'private_key_jwt']) {
  authlibTest(`Authlib obtains a token for a service account with ${method}`, async (t) => {
    const { publicKey, privateKey } = await generateKeyPair('RS256', { extractable: true })
    const jwk = { ...(await exportJWK(publicKey)), alg: 'RS256' }
    const machine = await createMachine({ keys: [jwk] })
    const isAsserting = method === 'private_key_jwt'
    const secret = isAsserting ? await exportPKCS8(privateKey) : machine.client_secret
    const script = join(clients, 'python/authlib_machine.py')
    const { stdout } = await runFile(python, [script, tokenUrl, machine.client_id, secret, method])
    t.is(decodeJwt(stdout).sub, machine.account)
  })
}

const goMachine = join(goFolder, 'machine-client')
const goMachineTest = existsSync(goMachine) ? test : test.skip

goMachineTest("Go's clientcredentials obtains a token for a service account", async (t) => {
  const { client_id, client_secret, account } = await createMachine()
  const { stdout } = await runFile(goMachine, [tokenUrl, client_id, client_secret])
  t.is(decodeJwt(stdout).sub, account)
})

javaTest('Spring Security obtains a token for a service account', async (t) => {
  const { client_id, client_secret, account } = await createMachine()
  const { stdout } = await runFile(
    'java',
    ['-cp', 'classes:lib/*', 'MachineClient', issuer, client_id, client_secret],
    { cwd: javaFolder },
  )
  t.is(decodeJwt(stdout.trim()).sub, account)
})
