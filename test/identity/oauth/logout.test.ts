// Threat: sign-out by another page, open redirects, sessions that outlive a sign-out.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import test from 'ava'
import { createRemoteJWKSet, decodeJwt, jwtVerify } from 'jose'
import { keepConnections } from '../../support/keep-connections.ts'
import {
  createAuthorizationRequest,
  createOAuthClient,
  issuer,
  readPage,
  signInWithOAuth,
} from '../../support/oauth.ts'
import { expectError, expectOk } from '../../support/outcome.ts'
import { createSignInEnvironment } from '../../support/sign-in.ts'
import type { Outcome } from '../../support/transports.ts'

const environment = await createSignInEnvironment()

const postLogoutUri = 'https://rp.example.com/bye?x=1'
const row = { post_logout_redirect_uris: [postLogoutUri] }
const client = await createOAuthClient(environment, row)

/** A client app that receives logout tokens, and rejects the first one. */
const received: string[] = []
let rejections = 1
const receiver = createServer(keepConnections, async (request, response) => {
  let body = ''
  for await (const chunk of request) body += chunk
  if (rejections > 0) {
    rejections -= 1
    response.writeHead(500).end()
    return
  }
  received.push(new URLSearchParams(body).get('logout_token') ?? '')
  response.writeHead(200).end()
})
await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
test.after.always(async () => {
  receiver.close()
  await environment.stop()
})
const backchannel_logout_uri = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/logout`

const pageText = (outcome: Outcome) => {
  const { html, page } = expectOk(outcome)
  return (html ?? JSON.stringify(page)) as string
}

/** Signs an ID token as this issuer does. */
const signHint = ({ aud, ...claims }: { aud: unknown; sub: unknown; sid: unknown }) =>
  environment.app.tokens.signForClient('id', claims as never, aud as never, 900)

for (const transport of environment.transports) {
  const over = `over ${transport.label}`
  const signIn = (options = {}) => signInWithOAuth(environment, transport, { client, ...options })
  const logout = (message: object) => transport.call('EndBrowserSession', message)
  const getMe = (token: string) => transport.call('GetMe', {}, { token })

  test.serial(`an ID token of the browser's session signs out and redirects ${over}`, async (t) => {
    const { tokens, browser_session } = await signIn()
    const other = await signIn()
    const outcome = expectOk(
      await logout({
        id_token_hint: tokens.id_token,
        post_logout_redirect_uri: postLogoutUri,
        state: 'a b',
        browser_session,
      }),
    )
    t.is(outcome.location, `${postLogoutUri}&state=a+b`)
    t.is(outcome.browser_session, '')
    t.is(expectError(await getMe(tokens.access_token)).reason, 'TOKEN_REVOKED')
    t.true((await getMe(other.tokens.access_token)).ok)
    const { id_token: id_token_hint } = tokens
    t.regex(pageText(await logout({ id_token_hint, browser_session })), /signed.out/i)
  })

  test.serial(
    `the hint alone ends its session if the browser sends no cookie ${over}`,
    async (t) => {
      const { tokens } = await signIn()
      t.regex(pageText(await logout({ id_token_hint: tokens.id_token })), /signed.out/i)
      t.is(expectError(await getMe(tokens.access_token)).reason, 'TOKEN_REVOKED')
    },
  )

  test.serial(
    `after the tokens were revoked, the ID token still signs the browser out ${over}`,
    async (t) => {
      const { tokens, browser_session } = await signIn()
      const { refresh_token: token, id_token: id_token_hint } = tokens
      expectOk(await transport.call('RevokeToken', { token, ...client }))
      t.is(expectError(await getMe(tokens.access_token)).reason, 'TOKEN_REVOKED')
      const request = { id_token_hint, post_logout_redirect_uri: postLogoutUri }
      t.is(expectOk(await logout({ ...request, browser_session })).location, postLogoutUri)
      const { rows } = await environment.pool.query(
        `select from browser_sessions where secret_hash = encode(sha256($1), 'hex')`,
        [browser_session],
      )
      t.is(rows.length, 0)
      // The same ID token signs no later browser session out.
      const { email } = await signIn()
      const later = await signIn({ email })
      const page = await logout({ ...request, browser_session: later.browser_session })
      t.regex(pageText(page), /confirm_sign_out|Sign out\?/)
      t.true((await getMe(later.tokens.access_token)).ok)
    },
  )

  test.serial(`without a hint of this session the user must confirm ${over}`, async (t) => {
    const { tokens, browser_session, email } = await signIn()
    const other = await signIn()
    const requests = [
      { browser_session },
      { browser_session, confirmation: 'yes', is_form: true },
      { browser_session, id_token_hint: other.tokens.id_token },
    ]
    for (const request of requests) {
      const text = pageText(await logout(request))
      t.regex(text, /confirm_sign_out|Sign out\?/)
      t.true(text.includes(email))
      t.true((await getMe(tokens.access_token)).ok)
    }
    const state = '<b>'
    const request = { client_id: client.client_id, post_logout_redirect_uri: postLogoutUri, state }
    const { choices } = readPage(expectOk(await logout({ ...request, browser_session })))
    const [choice = {}] = choices
    t.like(choice, request)
    const linked = await logout({ ...choice, browser_session, is_form: undefined })
    t.regex(pageText(linked), /confirm_sign_out|Sign out\?/, 'a link signs nobody out')
    t.true((await getMe(tokens.access_token)).ok)
    const signedOut = expectOk(await logout({ ...choice, browser_session }))
    t.is(signedOut.location, `${postLogoutUri}&state=%3Cb%3E`)
    t.is(expectError(await getMe(tokens.access_token)).reason, 'TOKEN_REVOKED')
  })

  test.serial(
    `an unregistered post-logout URI never redirects and ends nothing ${over}`,
    async (t) => {
      const { tokens, browser_session } = await signIn()
      const request = { id_token_hint: tokens.id_token, browser_session }
      for (const post_logout_redirect_uri of [`${postLogoutUri}x`, 'https://evil.example/', 'x'])
        t.is(
          expectError(await logout({ ...request, post_logout_redirect_uri })).code,
          'failed_precondition',
        )
      const another = await createOAuthClient(environment)
      const invalid = { ...request, client_id: another.client_id }
      t.is(expectError(await logout(invalid)).code, 'failed_precondition')
      const forged = `${tokens.id_token.slice(0, -4)}AAAA`
      t.is(expectError(await logout({ id_token_hint: forged })).code, 'failed_precondition')
      t.is(
        expectError(await logout({ id_token_hint: tokens.access_token })).code,
        'failed_precondition',
      )
      const { sub, sid } = decodeJwt(tokens.id_token)
      for (const claims of [
        { sub, sid, aud: [client.client_id] },
        { sub: [sub], sid, aud: client.client_id },
        { sub, sid: [sid], aud: client.client_id },
      ]) {
        const list = await signHint(claims)
        for (const more of [{}, { client_id: client.client_id }])
          t.is(
            expectError(await logout({ id_token_hint: list, ...more })).code,
            'failed_precondition',
          )
        const { request } = createAuthorizationRequest(client.client_id, { id_token_hint: list })
        t.true((await transport.call('Authorize', request)).ok)
      }
      t.true((await getMe(tokens.access_token)).ok)
    },
  )

  test.serial(`a hint whose audience is a list is not valid ${over}`, async (t) => {
    const { tokens } = await signIn()
    const claims = decodeJwt(tokens.id_token)
    for (const aud of [[client.client_id], [client.client_id, client.client_id], []]) {
      const hint = await environment.app.tokens.signForClient('id', claims, aud as never, 900)
      const error = expectError(await logout({ id_token_hint: hint }))
      t.is(error.code, 'failed_precondition')
    }
    t.true((await getMe(tokens.access_token)).ok)
  })

  test.serial(`each ended session sends a logout token to its client app ${over}`, async (t) => {
    received.length = 0
    rejections = 1
    const listening = await createOAuthClient(environment, { ...row, backchannel_logout_uri })
    const { tokens, browser_session, email } = await signIn({ client: listening })
    const { sid, sub } = decodeJwt(tokens.id_token)
    expectOk(await logout({ id_token_hint: tokens.id_token, browser_session }))
    const send = async () => {
      await environment.app.services.logoutSender.sendDue()
      await environment.app.services.logoutSender.settle()
    }
    await send()
    t.deepEqual(received, [])
    await send()
    t.deepEqual(received, [], 'a repeated attempt waits')
    await environment.pool.query(
      "update logout_notifications set next_attempt_at = now() - interval '1 s'",
    )
    await send()
    t.is(received.length, 1)
    const keySet = createRemoteJWKSet(
      new URL(`http://127.0.0.1:${environment.httpPort}/.well-known/jwks.json`),
      { timeoutDuration: 60_000 },
    )
    const { payload, protectedHeader } = await jwtVerify(received[0] ?? '', keySet, {
      issuer,
      audience: listening.client_id,
    })
    t.is(protectedHeader.typ, 'logout+jwt')
    t.like(payload, { sid, sub: sub as string })
    t.deepEqual(payload.events, { 'http://schemas.openid.net/event/backchannel-logout': {} })
    t.is(payload.nonce, undefined)
    t.is(typeof payload.jti, 'string')
    // Ending the session in any other way also sends one.
    const again = await signIn({ client: listening, email })
    expectOk(await transport.call('Logout', {}, { token: again.tokens.access_token }))
    await send()
    t.is(decodeJwt(received[1] ?? '').sid, decodeJwt(again.tokens.id_token).sid)
    const { rows } = await environment.pool.query('select * from logout_notifications')
    t.deepEqual(rows, [])
  })
}

test.after('no internal errors occurred', (t) => t.deepEqual(environment.failures, []))
