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

const python = join(applications, 'python/.venv/bin/python')
const hub = join(applications, 'python/.venv/bin/jupyterhub')
const proxy = join(
  applications,
  'node/node_modules/configurable-http-proxy/bin/configurable-http-proxy',
)

testApplication(
  'JupyterHub signs in, makes owners administrators and signs out',
  [hub, proxy],
  async (t) => {
    const daikon = await startIssuer()
    t.teardown(() => daikon.stop())
    const [port, hubPort, proxyPort] = [
      await findFreePort(),
      await findFreePort(),
      await findFreePort(),
    ]
    const url = `http://localhost:${port}`
    const redirectUri = `${url}/hub/oauth_callback`
    const row = { post_logout_redirect_uris: [`${url}/hub/login`] }
    const app = await createBoundApp(daikon, redirectUri, 'owner', row)
    const folder = await createFolder(t)
    const configuration = `
c = get_config()
c.JupyterHub.bind_url = 'http://127.0.0.1:${port}'
c.JupyterHub.hub_port = ${hubPort}
c.JupyterHub.default_url = '/hub/home'
c.ConfigurableHTTPProxy.command = ['${process.execPath}', '${proxy}']
c.ConfigurableHTTPProxy.api_url = 'http://127.0.0.1:${proxyPort}'

${await readRecipe('jupyterhub', { ...app, url })}`
    const file = join(folder, 'jupyterhub_config.py')
    await writeFile(file, configuration)
    await startApplication(t, `${url}/hub/login`, [python, hub, '-f', file], { cwd: folder })

    const page = await openApplication(t)
    await page.goto(`${url}/hub/login`)
    await page.getByText('Sign in with daikon').click()
    await chooseUser(page, app.email)
    await page.getByText(app.email).first().waitFor()
    await page.goto(`${url}/hub/admin`)
    await page.getByRole('link', { name: 'Manage Groups' }).waitFor()
    await takePicture(page, 'jupyterhub')
    await page.getByText(app.email).first().waitFor()
    await page.goto(`${url}/hub/logout`)
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByText('Sign in with daikon').click()
    await waitForSignIn(page)
    t.pass()
  },
)
