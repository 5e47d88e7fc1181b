import test from 'ava'
import { hasBrowser, launchBrowser, prepareContext } from '../support/browser.ts'
import {
  createAuthorizationRequest,
  createOAuthClient,
  issuer,
  signInWithOAuth,
} from '../support/oauth.ts'
import { expectOk } from '../support/outcome.ts'
import { createSignInEnvironment } from '../support/sign-in.ts'
import type { Transport } from '../support/transports.ts'

if (hasBrowser) {
  const environment = await createSignInEnvironment()
  const [, rest] = environment.transports as [Transport, Transport]
  // The address of the server is another one than its pages name.
  const { host } = new URL(issuer)
  const browser = await launchBrowser(
    `--host-resolver-rules=MAP ${host} 127.0.0.1:${environment.httpPort}`,
  )
  test.after.always(async () => {
    await browser.close()
    await environment.stop()
  })

  test('a person joins by the buttons of both pages, and a reload says that they have', async (t) => {
    const client = await createOAuthClient(environment)
    const { email, browser_session } = await signInWithOAuth(environment, rest, { client })
    const invite = async (name: string) => {
      const workspace_id = await environment.seed.workspace(name)
      const owner = await environment.seed.newMember(workspace_id, 'owner')
      const token = await environment.token(owner, workspace_id)
      const message = { workspace_id, email, role: 'editor' }
      return expectOk(await rest.call('InviteMember', message, { token })).invitation_url as string
    }
    const context = await browser.newContext()
    prepareContext(context)
    await context.addCookies([{ name: 'daikon_session', value: browser_session, url: issuer }])
    const page = await context.newPage()

    const url = await invite('Contoso')
    await page.goto(url)
    await page.getByRole('button', { name: /^C?\s*Join Contoso/ }).click()
    await page.getByRole('heading', { name: 'You have joined Contoso' }).waitFor()
    t.is(page.url(), url)
    await page.reload()
    await page.getByRole('heading', { name: 'You have joined Contoso' }).waitFor()

    await invite('Fabrikam')
    const { request } = createAuthorizationRequest(client.client_id)
    await page.goto(`${issuer}/oauth/authorize?${new URLSearchParams(request)}`)
    const redirect = page.waitForRequest((request) => request.url().includes('code='))
    await page.getByRole('button', { name: /Join Fabrikam/ }).click()
    t.true((await redirect).url().startsWith('https://rp.example.com/'))
  })
}
