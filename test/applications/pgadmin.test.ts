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

const python = join(applications, 'pgadmin/.venv/bin/python')

testApplication('pgAdmin signs in editors only, and signs out', [python], async (t) => {
  const daikon = await startIssuer()
  t.teardown(() => daikon.stop())
  const port = await findFreePort()
  const url = `http://localhost:${port}`
  const row = { post_logout_redirect_uris: [`${url}/`] }
  const app = await createBoundApp(daikon, `${url}/oauth2/authorize`, 'editor', row)
  const viewer = await app.addMember('viewer')
  const folder = await createFolder(t)
  await writeFile(
    join(folder, 'config_local.py'),
    `DATA_DIR = '${folder}/data'
DEFAULT_SERVER_PORT = ${port}
MASTER_PASSWORD_REQUIRED = False
UPGRADE_CHECK_ENABLED = False

${await readRecipe('pgadmin', { ...app, url })}`,
  )
  const start = `import os, runpy, pgadmin4
os.environ['PGADMIN_SETUP_EMAIL'] = 'setup@example.com'
os.environ['PGADMIN_SETUP_PASSWORD'] = 'a password of the test'
runpy.run_path(os.path.join(list(pgadmin4.__path__)[0], 'pgAdmin4.py'), run_name='__main__')`
  const env = { PYTHONPATH: folder, HOME: folder }
  await startApplication(t, `${url}/login`, [python, '-c', start], { cwd: folder, env })

  const page = await openApplication(t)
  await page.goto(url)
  await page.getByRole('button', { name: 'daikon' }).click()
  await chooseUser(page, app.email)
  await page.getByRole('button', { name: app.email }).click()
  await takePicture(page, 'pgadmin')
  await page.getByText('Logout').click()
  await page.getByRole('button', { name: 'daikon' }).click()
  await waitForSignIn(page)
  await chooseUser(page, viewer)
  await page.getByText('not authorized').waitFor()
  t.pass()
})
