import test from 'ava'
import { providerNames } from '../../src/identity/providers/provider.ts'
import { createAdmin } from '../support/admin.ts'
import { connectWorkspace, createConnectionEnvironment } from '../support/connections.ts'
import { Visitor } from '../support/email-sign-in.ts'
import { createAuthorizationRequest, createOAuthClient } from '../support/oauth.ts'
import { createSignInEnvironment } from '../support/sign-in.ts'
import type { Transport } from '../support/transports.ts'

const environment = await createConnectionEnvironment()
const client = await createOAuthClient(environment)
const [rest] = environment.transports.filter(({ name }) => name === 'rest') as [Transport]
test.after.always(() => environment.stop())

/** Opens the page of `/oauth/authorize`, which asks for an address, and reads its form. */
async function openPage(
  visitor: Visitor,
  more: Record<string, string> = {},
  { client_id } = client,
) {
  const { request } = createAuthorizationRequest(client_id, more)
  const answer = await visitor.open(`/oauth/authorize?${new URLSearchParams(request)}`)
  return { request, ...answer, ...readForm(answer.text) }
}

const decode = (text: string) =>
  text.replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)))

function readForm(text: string) {
  const hidden = text.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g)
  const fields = [...hidden].map(([, name = '', value = '']) => [decode(name), decode(value)])
  const buttons = [...text.matchAll(/Continue with ([^<]+)</g)].map(([, label]) => label)
  return { fields: Object.fromEntries(fields) as Record<string, string>, buttons }
}

/** Sends the form of a page with an address, as a browser does. */
const send = (visitor: Visitor, fields: Record<string, string>, login_hint: string) =>
  visitor.open(`/oauth/authorize?${new URLSearchParams({ ...fields, login_hint })}`)

test('where connections exist, one page asks for the address and has the providers', async (t) => {
  const connected = await connectWorkspace(t, environment, rest)
  const visitor = new Visitor(environment)
  const { text, fields, buttons, headers } = await openPage(visitor)
  t.is(buttons.length, providerNames.length)
  t.regex(text, /<form method="get" action="[^"]*\/oauth\/authorize">/)
  t.regex(text, /name="login_hint" type="email" required/)
  t.regex(headers.get('content-security-policy') ?? '', /form-action https: http:/)
  t.notRegex(text, /<script/)

  const { location } = await send(visitor, fields, `ann@${connected.domain}`)
  t.true(location.startsWith(connected.authority.url), location)

  // The form is of this browser and this request.
  const other = new Visitor(environment)
  t.is((await send(other, fields, `ann@${connected.domain}`)).location, '')
})

test('an address without a connection leads back to the page, which says so', async (t) => {
  await connectWorkspace(t, environment, rest)
  const visitor = new Visitor(environment)
  const { fields } = await openPage(visitor)
  const email = 'ann@unknown.example'
  const again = await send(visitor, fields, email)
  t.is(again.status, 200)
  t.regex(again.text, /role="alert">No organization signs in with this address here/)
  t.true(again.text.includes(`value="${email}"`))
  const repeated = readForm(again.text)
  t.is(repeated.buttons.length, providerNames.length)
  t.false('login_hint' in repeated.fields)
  const [, link = ''] = /href="([^"]*provider=google[^"]*)"/.exec(again.text) ?? []
  t.is(new URL(decode(link)).searchParams.get('login_hint'), email)

  // A hint of the client app fills the field in, and nobody typed it.
  const hinted = await openPage(visitor, { login_hint: email })
  t.true(hinted.text.includes(`value="${email}"`))
  t.notRegex(hinted.text, /No organization/)
})

test('a single provider does not hide the address field, and takes addresses without a connection', async (t) => {
  const off = { MICROSOFT_CLIENT_ID: '', GITHUB_CLIENT_ID: '', OIDC_ISSUER: '', OIDC_CLIENT_ID: '' }
  const single = await createSignInEnvironment({ settings: off })
  t.teardown(() => single.stop())
  const [, transport] = single.transports as [Transport, Transport]
  await connectWorkspace(t, { ...single, admin: await createAdmin(single) }, transport)
  const visitor = new Visitor(single)
  const { fields, buttons } = await openPage(visitor, {}, await createOAuthClient(single))
  t.deepEqual(buttons, ['Google'])
  const { location } = await send(visitor, fields, 'ann@unknown.example')
  t.is(new URL(location).searchParams.get('login_hint'), 'ann@unknown.example')
})

test('the field offers passkeys', async (t) => {
  await connectWorkspace(t, environment, rest)
  const node = await environment.addNode({ SIGN_IN_METHODS: [...providerNames, 'passkey'] })
  const visitor = new Visitor(node)
  const { text, fields, headers } = await openPage(visitor)
  t.regex(text, /autocomplete="username webauthn"/)
  t.regex(text, /href="[^"]*provider=passkey/)
  t.regex(
    headers.get('content-security-policy') ?? '',
    /script-src 'sha256-[^;]*; connect-src 'self'/,
  )
  const { passkey_state = '' } = fields
  t.not(passkey_state, '')
  const page = await visitor.open(`/auth/passkey?state=${passkey_state}`)
  t.is(page.status, 200)
  t.is((await new Visitor(node).open(`/auth/passkey?state=${passkey_state}`)).status, 400)
  // /oauth/authorize ignores the field.
  t.is((await send(visitor, fields, 'ann@unknown.example')).status, 200)
})

test('without connections, there is no address to ask for', async (t) => {
  const plain = await createConnectionEnvironment()
  t.teardown(() => plain.stop())
  const { text, buttons } = await openPage(new Visitor(plain), {}, await createOAuthClient(plain))
  t.is(buttons.length, providerNames.length)
  t.notRegex(text, /<form|E-mail address/)
})
