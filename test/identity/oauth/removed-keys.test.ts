// Threat: a sign-out that leaves the session, because the key of the ID token is gone.
import test from 'ava'
import { createKeyPair, type Keys, parseKeys } from '../../../src/identity/keys.ts'
import { formatPublicKeys } from '../../../src/identity/public-key-file.ts'
import {
  createAuthorizationRequest,
  createOAuthClient,
  signInWithOAuth,
} from '../../support/oauth.ts'
import { expectError, expectOk } from '../../support/outcome.ts'
import { createSignInEnvironment } from '../../support/sign-in.ts'

function createKeys(): Keys {
  const { privateKey, entry } = createKeyPair(new Date())
  const paths = { privatePath: 'private.pem', publicPath: 'public.pem' }
  return parseKeys(Buffer.from(privateKey), Buffer.from(formatPublicKeys([entry])), paths)
}

let keys = createKeys()
const environment = await createSignInEnvironment({ dependencies: { currentKeys: () => keys } })
const client = await createOAuthClient(environment)
test.after.always(() => environment.stop())

for (const transport of environment.transports) {
  test.serial(
    `an ID token of a removed key is a hint for its lifetime over ${transport.label}`,
    async (t) => {
      t.teardown(() => {
        environment.clock.now = undefined
      })
      const first = await signInWithOAuth(environment, transport, { client })
      const second = await signInWithOAuth(environment, transport, { client })
      keys = createKeys()
      const { tokens, browser_session } = first
      const { request } = createAuthorizationRequest(client.client_id, {
        prompt: 'none',
        id_token_hint: tokens.id_token,
      })
      const silent = expectOk(await transport.call('Authorize', { ...request, browser_session }))
      t.truthy(new URL(silent.location).searchParams.get('code'))
      const me = await transport.call('GetMe', {}, { token: tokens.access_token })
      t.is(expectError(me).reason, 'TOKEN_INVALID', 'an access token of the key is no longer valid')

      const ended = expectOk(
        await transport.call('EndBrowserSession', {
          id_token_hint: tokens.id_token,
          browser_session,
        }),
      )
      t.is(ended.browser_session, '')
      environment.clock.now = new Date(Date.now() + 3_600_000)
      const late = {
        id_token_hint: second.tokens.id_token,
        browser_session: second.browser_session,
      }
      const refused = expectError(await transport.call('EndBrowserSession', late))
      t.is(refused.code, 'failed_precondition')
    },
  )
}

test.after('no internal errors occurred', (t) => t.deepEqual(environment.failures, []))
