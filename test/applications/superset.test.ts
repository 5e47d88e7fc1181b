import { copyFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
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

const home = join(cachedApplications, 'superset-6.1.0')

testApplication(
  'Superset signs in, maps roles, refuses strangers and signs out',
  [join(home, 'complete')],
  async (t) => {
    const daikon = await startIssuer()
    t.teardown(() => daikon.stop())
    const port = await findFreePort()
    const url = `http://localhost:${port}`
    const row = { post_logout_redirect_uris: [`${url}/`] }
    const app = await createBoundApp(daikon, `${url}/oauth-authorized/daikon`, 'owner', row)
    const editor = await app.addMember('editor')
    const stranger = await app.addStranger()
    const folder = await createFolder(t)
    await copyFile(join(home, 'superset.db'), join(folder, 'superset.db'))
    const file = join(folder, 'superset_config.py')
    await writeFile(
      file,
      `SECRET_KEY = 'a secret of the test that nobody else knows'
SQLALCHEMY_DATABASE_URI = 'sqlite:///${folder}/superset.db'

${await readRecipe('superset', { ...app, url })}`,
    )
    const env = { SUPERSET_CONFIG_PATH: file, FLASK_APP: 'superset.app:create_app()', HOME: folder }
    const run = ['-m', 'flask', 'run', '--with-threads', '-p', String(port)]
    await startApplication(t, `${url}/health`, [join(home, 'bin/python'), ...run], {
      cwd: folder,
      env,
    })

    const page = await openApplication(t)
    const signIn = async (email: string) => {
      await page.goto(`${url}/login/`)
      await page.getByText('Sign in with Daikon').click()
      await waitForSignIn(page)
      await chooseUser(page, email)
    }
    const signOut = async () => {
      await page.goto(`${url}/logout/`)
      await page.getByRole('button', { name: 'Sign out' }).click()
    }
    const readRoles = async () => {
      const response = await page.request.get(`${url}/api/v1/me/roles/`)
      const { result } = (await response.json()) as { result: { roles: object } }
      return Object.keys(result.roles).sort()
    }

    await signIn(app.email)
    await page.getByText('Settings').waitFor()
    await takePicture(page, 'superset')
    t.deepEqual(await readRoles(), ['Admin', 'Public'])
    await signOut()
    await signIn(editor)
    await page.getByText('Settings').waitFor()
    t.deepEqual(await readRoles(), ['Alpha', 'Public'])
    await takePicture(page, 'superset-editor')
    await signOut()
    await signIn(stranger)
    await page.waitForURL(`${url}/login/`)
    await page.getByText('Sign in with Daikon').waitFor()
    await takePicture(page, 'superset-stranger')
    t.is((await page.request.get(`${url}/api/v1/me/roles/`)).status(), 401)
  },
)
