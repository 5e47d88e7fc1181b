import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { findFreePort } from '../../src/core/free-port.ts'
import {
  cachedApplications,
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

const home = join(cachedApplications, 'mlflow-3.17.2')

testApplication(
  'MLflow signs in, makes owners administrators, refuses strangers and signs out',
  [join(home, 'complete')],
  async (t) => {
    const daikon = await startIssuer()
    t.teardown(() => daikon.stop())
    const port = await findFreePort()
    const url = `http://localhost:${port}`
    const row = { post_logout_redirect_uris: [`${url}/oidc/ui/auth`] }
    const app = await createBoundApp(daikon, `${url}/callback`, 'owner', row)
    const editor = await app.addMember('editor')
    const stranger = await app.addStranger()
    const folder = await createFolder(t)
    const settings = parseEnv(await readRecipe('mlflow', { ...app, url })) as Record<string, string>
    const command = ['-m', 'mlflow', 'server', '--app-name', 'oidc-auth', '--workers', '1']
    const storage = ['--backend-store-uri', `sqlite:///${folder}/mlflow.db`]
    const address = ['--host', '127.0.0.1', '--port', String(port)]
    await startApplication(
      t,
      `${url}/health`,
      [join(home, 'bin/python'), ...command, ...storage, ...address],
      { cwd: folder, env: { ...settings, HOME: folder } },
    )

    const page = await openApplication(t)
    const signIn = async (email: string) => {
      await page.goto(`${url}/login`)
      await waitForSignIn(page)
      await chooseUser(page, email)
    }
    const readUser = async () => {
      const response = await page.request.get(`${url}/api/2.0/mlflow/users/current`)
      return { status: response.status(), ...(await response.json()) } as Record<string, unknown>
    }

    await signIn(app.email)
    await page.getByText('Ann Example').first().waitFor()
    await takePicture(page, 'mlflow')
    t.like(await readUser(), { username: app.email, is_admin: true })
    await page.goto(`${url}/logout`)
    await page.waitForURL(`${url}/oidc/ui/auth**`)
    await signIn(editor)
    await page.getByText('Bea Example').first().waitFor()
    await takePicture(page, 'mlflow-editor')
    t.like(await readUser(), { username: editor, is_admin: false })
    await page.goto(`${url}/logout`)
    await page.waitForURL(`${url}/oidc/ui/auth**`)
    await signIn(stranger)
    await page.getByText('OIDC provider error').waitFor()
    await takePicture(page, 'mlflow-stranger')
    t.is((await readUser()).status, 401)
  },
)
