// Third-party libraries sign users in without modification.
import { execFile, spawn, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { join } from 'node:path'
import { promisify } from 'node:util'
import test, { type ExecutionContext } from 'ava'
import { decodeJwt } from 'jose'
import OidcProvider from 'oidc-provider'
import * as openid from 'openid-client'
import { hasBrowser, openBrowserPage } from '../../support/browser.ts'
import {
  createCookieJar,
  follow,
  startCallbackServer,
  startIssuer,
} from '../../support/oauth-issuer.ts'

// Imported through a variable so that its types are not loaded: they refer to the DOM types, which
// change those of Node.
const authJs: string = '@auth/core'
const { Auth } = await import(authJs)
const daikon = await startIssuer()
const { issuer, environment } = daikon
test.after.always(() => daikon.stop())

const runFile = promisify(execFile)

const callback = 'https://rp.example.com/cb'
const postLogoutUri = 'https://rp.example.com/bye'
const insecure = { execute: [openid.allowInsecureRequests] }

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
  const config = await openid.discovery(
    new URL(callbackServer),
    'app',
    undefined,
    openid.None(),
    insecure,
  )
  const pkceCodeVerifier = openid.randomPKCECodeVerifier()
  const start = openid.buildAuthorizationUrl(config, {
    redirect_uri: callback,
    scope: 'openid',
    code_challenge: await openid.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: 'S256',
  })
  const redirected = await follow(start, callback)
  const tokens = await openid.authorizationCodeGrant(config, redirected, { pkceCodeVerifier })
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
async function runClient(t: ExecutionContext, command: string, parameters: string[], cwd: string) {
  const redirect = await startCallbackServer(t)
  const uri = `${redirect}/callback`
  const client = await daikon.createClient(uri, { type: 'confidential' })
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

const clients = join(import.meta.dirname, '../../support/oauth-clients')
const venvPython = join(clients, 'python/.venv/bin/python')
const python = existsSync(venvPython) ? venvPython : 'python3'
const hasAuthlib = spawnSync(python, ['-c', 'import authlib, requests']).status === 0
const authlibTest = hasAuthlib ? test : test.skip

authlibTest('Authlib signs in, verifies the ID token and refreshes', async (t) => {
  await runClient(t, python, ['authlib_client.py'], join(clients, 'python'))
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
  const config = await openid.discovery(
    new URL(issuer),
    client_id,
    undefined,
    openid.None(),
    insecure,
  )
  const pkceCodeVerifier = openid.randomPKCECodeVerifier()
  const start = openid.buildAuthorizationUrl(config, {
    redirect_uri: callback,
    scope: 'openid',
    code_challenge: await openid.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: 'S256',
    login_hint: environment.addProviderUser(),
  })
  const redirected = await follow(start, callback)
  const tokens = await openid.authorizationCodeGrant(config, redirected, { pkceCodeVerifier })
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

if (!hasBrowser) console.info('Chromium is not installed: oidc-client-ts is not tested')
if (!hasAuthlib) console.info('Authlib is not installed: see test/support/oauth-clients/install')
if (!existsSync(goBinary))
  console.info('go-oidc is not built: see test/support/oauth-clients/install')
if (!hasJava)
  console.info('Spring Security is not installed: see test/support/oauth-clients/install')

test.after('no internal errors occurred', (t) => t.deepEqual(environment.failures, []))
