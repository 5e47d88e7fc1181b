// Threat: grants that outlive the switch of a workspace, consent to a client that nobody registered.
import test from 'ava'
import { decodeJwt } from 'jose'
import { hostRule } from '../../src/client-metadata/host-rules.ts'
import { hostPattern } from '../../src/config/parsers.ts'
import { redirectUri, startDocumentServer } from '../support/client-documents.ts'
import { createConsentSteps } from '../support/consent.ts'
import { expectError, expectOk } from '../support/outcome.ts'
import { createSignInEnvironment } from '../support/sign-in.ts'

const documents = await startDocumentServer()
const environment = await createSignInEnvironment({
  options: {
    CLIENT_METADATA_HOSTS: [hostRule('*')],
    CLIENT_METADATA_ALLOWED_HOSTS: [hostPattern('127.0.0.1')],
    RATE_LIMIT_ENABLED: false,
  },
})
const { pool, seed } = environment
test.after.always(async () => {
  await environment.stop()
  await documents.stop()
})

for (const transport of environment.transports) {
  const over = `over ${transport.label}`
  const steps = createConsentSteps(environment, transport)
  const { begin, connect, open, send, endOf, refresh } = steps
  const loopback = 'http://127.0.0.1:49152/callback'
  const connectUnregistered = (document: object = { client_name: 'Editor' }) =>
    connect(
      { redirect_uri: redirectUri, nonce: undefined },
      { client: { client_id: documents.publish({ redirect_uris: [redirectUri], ...document }) } },
    )

  test.serial(`the host of a client stands where its name would ${over}`, async (t) => {
    const client_name = 'daikon \u202emoc.elgoog'
    const connected = await connectUnregistered({ client_name })
    const { request, session, tokens, client } = connected
    const { host } = new URL(client.client_id)
    const page = await open({ ...request, prompt: 'consent' }, session)
    t.true(page.text.includes(host))
    t.true(page.text.includes('daikon moc.elgoog'))
    t.false(page.text.includes('\u202e'))
    const { gid, wid, sub } = decodeJwt(tokens.access_token)
    const token = await environment.token(String(sub), String(wid))
    const listed = expectOk(await transport.call('ListMyGrants', {}, { token }))
    const [grant] = listed.grants ?? listed
    const facts = { id: gid, client_id: client.client_id, host, client_name: 'daikon moc.elgoog' }
    t.like(grant, facts)
  })

  test.serial(`a client on a computer is asked for each time ${over}`, async (t) => {
    const client = {
      client_id: documents.publish({ redirect_uris: ['http://127.0.0.1/callback'] }),
    }
    const asked = { redirect_uri: loopback, nonce: undefined }
    const { request, session } = await connect(asked, { client })
    const second = { ...request, redirect_uri: 'http://127.0.0.1:50000/callback' }
    for (const one of [request, second]) {
      const silent = expectOk(await send({ ...one, prompt: 'none' }, session))
      t.is(endOf(silent).error, 'consent_required')
      t.is((await open(one, session)).choices.length, 2)
    }
  })

  test.serial(`owners refuse clients that nobody registered, which end ${over}`, async (t) => {
    const connected = await connectUnregistered()
    const registered = await connect({}, { email: connected.email })
    const { workspace_id } = connected.tokens
    const owner = { token: await seedToken(workspace_id, 'owner') }
    const admin = { token: await seedToken(workspace_id, 'admin') }
    const change = (third_party_clients: boolean, credentials: { token: string }) =>
      transport.call('UpdateWorkspace', { workspace_id, third_party_clients }, credentials)
    t.is(expectError(await change(false, admin)).code, 'permission_denied')
    const get = async () =>
      expectOk(await transport.call('GetWorkspace', { workspace_id }, admin)).third_party_clients
    t.true(await get())
    const page = await open({ ...connected.request, prompt: 'consent' }, connected.session)
    expectOk(await change(false, owner))
    t.false(await get())
    const { client, tokens, request, session } = connected
    t.is(expectError(await refresh(client, tokens.refresh_token)).code, 'failed_precondition')
    const credentials = { token: tokens.access_token, key: connected.api.key }
    const kind = { service_name: connected.api.service, resource_type: 'document' }
    const checks = [{ ...kind, resource_id: workspace_id, action: 'view' }]
    const checked = await transport.call('Check', { checks }, credentials)
    t.is(expectError(checked).code, 'unauthenticated')
    // Neither a new request nor a form that was displayed before.
    t.is(endOf(expectOk(await send(request, session))).error, 'access_denied')
    const form = expectOk(await steps.choose(page, 'allow', session))
    t.is(endOf(form).error, 'access_denied')
    expectOk(await refresh(registered.client, registered.tokens.refresh_token))
    const { rows } = await pool.query(
      `select action from activity where workspace_id = $1
         and action in ('grant.revoked', 'workspace.third_party_clients_changed')`,
      [workspace_id],
    )
    t.is(rows.length, 2)
    expectOk(await change(true, owner))
    t.is((await open(request, session)).choices.length, 2)
  })

  test.serial(`other workspaces are offered ${over}`, async (t) => {
    const client = { client_id: documents.publish({ redirect_uris: [redirectUri] }) }
    const begun = await begin({ redirect_uri: redirectUri, nonce: undefined }, { client })
    const { rows } = await pool.query(
      'select m.workspace_id, m.user_id from members m join users u on u.id = m.user_id where u.email = $1',
      [begun.email],
    )
    const [closed, open_] = [await seed.workspace(), await seed.workspace()]
    for (const id of [closed, open_]) await seed.member(id, rows[0].user_id)
    await pool.query('update workspaces set third_party_clients = false where id = $1', [closed])
    const page = await open(begun.request, begun.session)
    t.true(page.text.includes(open_))
    t.false(page.text.includes(closed))
  })
}

async function seedToken(workspace: string, role: 'owner' | 'admin'): Promise<string> {
  return environment.token(await seed.newMember(workspace, role), workspace)
}
