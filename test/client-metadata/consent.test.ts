// Threat: another program takes the remembered consent; a document that changes.
import test from 'ava'
import { hostRule } from '../../src/client-metadata/host-rules.ts'
import { hostPattern } from '../../src/config/parsers.ts'
import { jwk } from '../support/client-assertions.ts'
import { redirectUri, startDocumentServer } from '../support/client-documents.ts'
import { createConsentSteps } from '../support/consent.ts'
import { expectOk } from '../support/outcome.ts'
import { createSignInEnvironment } from '../support/sign-in.ts'

const documents = await startDocumentServer()
const environment = await createSignInEnvironment({
  options: {
    CLIENT_METADATA_HOSTS: [hostRule('*')],
    CLIENT_METADATA_ALLOWED_HOSTS: [hostPattern('127.0.0.1')],
  },
})
test.after.always(async () => {
  await environment.stop()
  await documents.stop()
})

for (const transport of environment.transports) {
  const over = `over ${transport.label}`
  const steps = createConsentSteps(environment, transport)
  const connect = (client_id: string, redirect_uri = redirectUri) =>
    steps.connect({ redirect_uri }, { client: { client_id } })
  /** Returns what a request without a page ends with. */
  const askSilently = async (request: object, session: string) => {
    const { error, code } = steps.endOf(
      expectOk(await steps.send({ ...request, prompt: 'none' }, session)),
    )
    return error ?? (code ? 'code' : 'nothing')
  }

  test.serial(`consent to a client of a web server is remembered ${over}`, async (t) => {
    const client = documents.publish()
    const { request, session } = await connect(client)
    t.is(await askSilently(request, session), 'code')
    t.is(await askSilently({ ...request, scope: 'read write' }, session), 'consent_required')
    const { rows } = await environment.pool.query(
      'select name, is_active from client_apps where metadata_uri = $1',
      [client],
    )
    t.deepEqual(rows, [{ name: 'Editor', is_active: true }])
    // A changed name asks nothing, and shows in the grant.
    documents.publish({ client_name: 'Writer' }, {}, client)
    steps.pass(600)
    t.is(await askSilently(request, session), 'code')
    const names = await environment.pool.query(
      'select name from client_apps where metadata_uri = $1',
      [client],
    )
    t.deepEqual(names.rows, [{ name: 'Writer' }])
  })

  test.serial(`a document with other redirect URIs or keys asks again ${over}`, async (t) => {
    const more = { redirect_uris: [redirectUri, 'https://other.example.com'] }
    const signed = { token_endpoint_auth_method: 'private_key_jwt', jwks: { keys: [jwk] } }
    for (const change of [more, signed]) {
      const client = documents.publish()
      const { request, session } = await connect(client)
      documents.publish(change, {}, client)
      steps.pass(600)
      t.is(await askSilently(request, session), 'consent_required')
    }
  })

  test.serial(`consent to a program on a computer is asked for each time ${over}`, async (t) => {
    const native = ['http://127.0.0.1/callback', 'com.example.editor:/callback']
    const client = documents.publish({ redirect_uris: native })
    for (const uri of ['http://127.0.0.1:41234/callback', 'com.example.editor:/callback']) {
      const { request, session } = await connect(client, uri)
      t.is(await askSilently(request, session), 'consent_required')
      const page = await steps.open(request, session)
      t.true(page.text.includes(new URL(client).host))
    }
  })
}
