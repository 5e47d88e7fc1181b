import { mkdir, writeFile } from 'node:fs/promises'
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

const installed = join(applications, 'apache/usr')
const server = join(installed, 'sbin/apache2')
const modules = join(installed, 'lib/apache2/modules')

testApplication(
  'Apache with mod_auth_openidc signs in, maps roles and signs out',
  [server, join(modules, 'mod_auth_openidc.so')],
  async (t) => {
    const daikon = await startIssuer()
    t.teardown(() => daikon.stop())
    const port = await findFreePort()
    const url = `http://localhost:${port}`
    const redirectUri = `${url}/oauth2/callback`
    const row = { post_logout_redirect_uris: [`${url}/bye/`] }
    const app = await createBoundApp(daikon, redirectUri, 'editor', row)
    const folder = await createFolder(t)
    const claims = ['preferred_username', 'roles', 'groups']
    const echo = claims.map((name) => `<!--#echo var="OIDC_CLAIM_${name}" -->`).join(' / ')
    const pages = { '.': echo, editors: 'For editors', owners: 'For owners', bye: 'Signed out' }
    for (const [path, text] of Object.entries(pages)) {
      await mkdir(join(folder, 'pages', path), { recursive: true })
      await writeFile(join(folder, 'pages', path, 'index.html'), `<h1>${text}</h1>`)
    }
    const names = [
      'mpm_event',
      'authn_core',
      'authz_core',
      'authz_user',
      'dir',
      'filter',
      'include',
    ]
    const configuration = [
      ...[...names, 'mime', 'auth_openidc'].map(
        (name) => `LoadModule ${name}_module ${join(modules, `mod_${name}.so`)}`,
      ),
      `ServerRoot ${folder}`,
      `PidFile ${folder}/pid`,
      `ErrorLog ${folder}/error.log`,
      'ServerName localhost',
      `Listen 127.0.0.1:${port}`,
      `DocumentRoot ${folder}/pages`,
      'TypesConfig /dev/null',
      'AddType text/html .html',
      'DirectoryIndex index.html',
      // Shows the claims on a page.
      '<Location />',
      'Options +Includes',
      'SetOutputFilter INCLUDES',
      '</Location>',
      await readRecipe('apache', { ...app, url }),
    ]
    await writeFile(join(folder, 'apache.conf'), `${configuration.join('\n')}\n`)
    const libraries = { LD_LIBRARY_PATH: join(installed, 'lib/x86_64-linux-gnu') }
    await startApplication(t, `${url}/bye/`, [server, '-X', '-f', join(folder, 'apache.conf')], {
      cwd: folder,
      env: libraries,
    })

    const page = await openApplication(t)
    await page.goto(url)
    await chooseUser(page, app.email)
    await page.getByRole('heading', { name: `${app.email} / editor / Accounting` }).waitFor()
    await takePicture(page, 'apache')
    t.is((await page.goto(`${url}/editors/`))?.status(), 200)
    t.true([401, 403].includes((await page.goto(`${url}/owners/`))?.status() ?? 0))
    await page.goto(`${redirectUri}?logout=${encodeURIComponent(`${url}/bye/`)}`)
    await page.getByRole('heading', { name: 'Signed out' }).waitFor()
    await page.goto(url)
    await waitForSignIn(page)
  },
)
