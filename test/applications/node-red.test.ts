import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { findFreePort } from '../../src/core/free-port.ts'
import {
  applications,
  chooseUser,
  createBoundApp,
  createFolder,
  openApplication,
  readRecipe,
  startApplication,
  takePicture,
  testApplication,
  waitForSignIn,
} from '../support/applications.ts'
import { startIssuer } from '../support/oauth-issuer.ts'

const packages = join(applications, 'node/node_modules')
const nodeRed = join(packages, 'node-red/red.js')

/** Deploys no flows with the token of the editor, and returns the status of the response. */
const deploy = `$.ajax({ method: 'POST', url: 'flows', contentType: 'application/json', data: '{"flows":[]}' })
  .then((_data, _text, { status }) => status, ({ status }) => status)`

testApplication(
  'Node-RED signs in, lets viewers only read, and signs out',
  [nodeRed, join(packages, 'passport-openidconnect')],
  async (t) => {
    const daikon = await startIssuer()
    t.teardown(() => daikon.stop())
    const port = await findFreePort()
    const url = `http://localhost:${port}`
    const row = { pkce_required: false }
    const app = await createBoundApp(daikon, `${url}/auth/strategy/callback`, 'editor', row)
    const folder = await createFolder(t)
    const settings = join(folder, 'settings.js')
    const recipe = await readRecipe('node-red', { ...app, url })
    const own = `{ uiHost: '127.0.0.1', telemetry: { enabled: false } }`
    await writeFile(settings, `${recipe}\nObject.assign(module.exports, ${own})\n`)
    const command = [process.execPath, nodeRed, '-s', settings, '-u', folder, '-p', `${port}`]
    await startApplication(t, `${url}/auth/login`, command as [string, ...string[]], {
      cwd: folder,
      env: { NODE_PATH: packages },
    })

    for (const [email, mayDeploy] of [
      [app.email, true],
      [await app.addMember('viewer'), false],
    ] as const) {
      const page = await openApplication(t)
      await page.goto(url)
      await page.getByText('Sign in with daikon').click()
      await chooseUser(page, email)
      await page.locator('#red-ui-palette .red-ui-palette-node').first().waitFor()
      await page.locator('#red-ui-header-button-user').waitFor({ state: 'attached' })
      await takePicture(page, `node-red-${mayDeploy ? 'editor' : 'viewer'}`)
      t.like(await page.evaluate('RED.settings.user'), { username: email })
      t.is(await page.evaluate(`RED.user.hasPermission('flows.write')`), mayDeploy)
      t.is(await page.evaluate(deploy), mayDeploy ? 200 : 401)
      await page.goto(`${app.issuer}/oauth/logout`)
      await page.getByRole('button', { name: 'Sign out' }).click()
      await page.getByRole('heading', { name: 'You are signed out' }).waitFor()
      await page.evaluate(`localStorage.clear()`)
      await page.goto(`${url}/auth/strategy`)
      await waitForSignIn(page)
    }
  },
)
