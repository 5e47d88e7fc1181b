// Threat: a name that lies, consent without a person.
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { connect, createServer } from 'node:net'
import test from 'ava'
import express from 'express'
import { createConsentPage } from '../../src/consent/consent-page.ts'
import { createFormTokens } from '../../src/consent/form-token.ts'
import { findFreePort } from '../../src/core/free-port.ts'
import { sendHostedPage } from '../../src/http/hosted-pages.ts'
import type { ConsentQuestion } from '../../src/identity/ports.ts'
import { hasBrowser, launchBrowser, prepareContext, waitTimeout } from '../support/browser.ts'
import { createConsentSteps } from '../support/consent.ts'
import { createSignInEnvironment } from '../support/sign-in.ts'

const browserTest = hasBrowser ? test.serial : test.serial.skip
const folder = process.env.SCREENSHOTS

const override = '\u202e'
const names = {
  long: 'An editor with a name that never ends '.repeat(120),
  'right-to-left': 'עורך המסמכים של אבי',
  lying: `daikon</h1><h1>login.example.com${override}moc.elgoog\u0000\u2066 Acme`,
}

const looks = [
  { width: 360, colorScheme: 'light' },
  { width: 360, colorScheme: 'dark' },
  { width: 1000, colorScheme: 'light' },
] as const

/** What a client asks for that nobody registered. */
function createQuestion(name: string): ConsentQuestion {
  const host = 'xn--mller-kva.editor-with-a-long-host-name.tools.example.com:8443'
  const url = `https://${host}/client.json`
  const client = {
    ...{ id: '0190a1c4-0000-7000-8000-000000000001', name, pkceRequired: true },
    ...{ workspaceId: null, popupSignIn: false, isRegistered: true, consentRequired: true },
    external: { url, host, metadataHash: '', isAuthenticated: false },
  }
  const descriptions = ['Read your documents', 'Change and share your documents']
  return {
    client,
    redirectUri: 'http://127.0.0.1:49152/callback',
    scopes: ['read', 'write'],
    resource: {
      ...{ id: 'api', uri: 'https://docs.example.com', service: 'docs', isActive: true },
      ...{ name: 'Documents', scopes: ['read', 'write'] },
      scopeDescriptions: new Map(['read', 'write'].map((one, at) => [one, descriptions[at] ?? ''])),
    },
    workspaces: [
      { id: '0190a1c4-0000-7000-8000-000000000002', name: 'Acme', role: 'owner' },
      { id: '0190a1c4-0000-7000-8000-000000000003', name: 'Ann’s workspace', role: 'owner' },
    ],
    user: { id: '0190a1c4-0000-7000-8000-000000000004', email: 'ann@example.com' },
    ...{ browserSecret: 'secret', requestHash: 'hash', isRequested: false, isSilent: false },
    ...{ confirmation: '', restartUrl: url, form: { url: '/', fields: [] } },
  }
}

browserTest('the host stands first, whatever a client calls itself', async (t) => {
  t.timeout(waitTimeout * 2)
  const app = express()
  app.get('/:name', (request, response) => {
    const question = createQuestion(names[request.params.name as keyof typeof names])
    const tokens = createFormTokens({ ...question, userId: question.user.id }, new Date())
    sendHostedPage(response, createConsentPage(question, tokens, { isTemporary: true }))
  })
  const server = app.listen(0)
  t.teardown(() => server.close())
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const browser = await launchBrowser()
  t.teardown(() => browser.close())
  for (const { width, colorScheme } of looks) {
    const context = await browser.newContext({ viewport: { width, height: 740 }, colorScheme })
    prepareContext(context)
    const page = await context.newPage()
    for (const name of Object.keys(names)) {
      await page.goto(`http://localhost:${port}/${name}`)
      const headings = await page.getByRole('heading').allTextContents()
      t.is(headings[0], createQuestion('').client.external?.host)
      t.is(headings.length, 2)
      const claim = await page.locator('.claim bdi').innerText()
      t.true([...claim].length <= 100, claim)
      t.notRegex(claim, /[\p{Cc}\p{Bidi_Control}]/u)
      const sizes = await page.locator('h1, .claim, .unicode, h2, p, li').evaluateAll((all) =>
        all.map((one) => {
          const { fontSize } = one.ownerDocument.defaultView?.getComputedStyle(one) ?? {}
          return Number.parseFloat(fontSize ?? '')
        }),
      )
      t.true(sizes.slice(1).every((size) => size < (sizes[0] ?? 0)))
      const box = await page.locator('html').evaluate((one) => [one.scrollWidth, one.clientWidth])
      t.true((box[0] ?? 0) <= (box[1] ?? 0), `${name} is wider than ${width}`)
      await page.getByRole('button', { name: 'Allow' }).waitFor()
      if (folder)
        await page.screenshot({
          path: `${folder}/consent-${name}-${width}-${colorScheme}.png`,
          fullPage: true,
        })
    }
    await context.close()
  }
})

browserTest('people agree and cancel without scripts, and no page frames the form', async (t) => {
  t.timeout(waitTimeout * 3)
  const port = await findFreePort()
  const BASE_URL = `http://localhost:${port}`
  const environment = await createSignInEnvironment({ options: { BASE_URL } })
  t.teardown(() => environment.stop())
  // The pages name BASE_URL, whose port is known before the server listens.
  const relay = createServer((socket) => {
    const upstream = connect(environment.httpPort, '127.0.0.1')
    socket.pipe(upstream).pipe(socket)
    for (const end of [socket, upstream]) end.on('error', () => end.destroy())
  })
  relay.listen(port, '127.0.0.1')
  t.teardown(() => relay.close())
  const [transport] = environment.transports
  if (!transport) return t.fail()
  const steps = createConsentSteps(environment, transport)
  const redirectUri = `${BASE_URL}/health`
  const client = await steps.createClient({}, [redirectUri])
  const begun = await steps.begin({ redirect_uri: redirectUri }, { client })
  const browser = await launchBrowser()
  t.teardown(() => browser.close())
  const context = await browser.newContext({ javaScriptEnabled: false })
  prepareContext(context)
  await context.addCookies([{ name: 'daikon_session', value: begun.session, url: BASE_URL }])
  const page = await context.newPage()
  const refused: string[] = []
  page.on('console', (message) => {
    if (message.type() === 'error') refused.push(message.text())
  })
  const url = `${BASE_URL}/oauth/authorize?${new URLSearchParams(begun.request)}`
  const press = async (button: string) => {
    await page.goto(url)
    await page.getByRole('heading', { name: 'Editor' }).waitFor()
    steps.pass(1)
    await page.getByRole('button', { name: button }).click()
    await page.waitForURL((one) => one.pathname === '/health')
    return Object.fromEntries(new URL(page.url()).searchParams)
  }
  t.is((await press('Cancel')).error, 'access_denied')
  t.truthy((await press('Allow')).code)
  t.deepEqual(refused, [])

  // A form that is too old, with the way back.
  await page.goto(`${url}&prompt=consent`)
  steps.pass(601)
  await page.getByRole('button', { name: 'Allow' }).click()
  await page.getByRole('heading', { name: 'Nothing was allowed' }).waitFor()
  await page.getByRole('link', { name: 'Begin again' }).click()
  await page.getByRole('button', { name: 'Cancel' }).waitFor()

  const framing = await context.newPage()
  await framing.setContent(`<iframe src="${url}&prompt=consent"></iframe>`)
  t.is(await framing.frameLocator('iframe').getByRole('button').count(), 0)
})
