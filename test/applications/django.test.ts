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

const python = join(applications, 'python/.venv/bin/python')

testApplication(
  'Django with django-allauth signs in, makes owners superusers and signs out',
  [python],
  async (t) => {
    const daikon = await startIssuer()
    t.teardown(() => daikon.stop())
    const port = await findFreePort()
    const url = `http://localhost:${port}`
    const row = { post_logout_redirect_uris: [`${url}/`] }
    const callback = `${url}/accounts/oidc/daikon/login/callback/`
    const app = await createBoundApp(daikon, callback, 'owner', row)
    const folder = await createFolder(t)
    const settings = `
SECRET_KEY = 'a secret of the test'
DEBUG = True
ALLOWED_HOSTS = ['localhost']
ROOT_URLCONF = 'site_urls'
DATABASES = {'default': {'ENGINE': 'django.db.backends.sqlite3', 'NAME': '${folder}/db.sqlite3'}}
INSTALLED_APPS = [
    'django.contrib.admin', 'django.contrib.auth', 'django.contrib.contenttypes',
    'django.contrib.sessions', 'django.contrib.messages', 'django.contrib.staticfiles',
    'allauth', 'allauth.account', 'allauth.socialaccount',
    'allauth.socialaccount.providers.openid_connect',
]
MIDDLEWARE = [
    'django.contrib.sessions.middleware.SessionMiddleware',
    'django.middleware.common.CommonMiddleware',
    'django.middleware.csrf.CsrfViewMiddleware',
    'django.contrib.auth.middleware.AuthenticationMiddleware',
    'django.contrib.messages.middleware.MessageMiddleware',
    'allauth.account.middleware.AccountMiddleware',
]
TEMPLATES = [{
    'BACKEND': 'django.template.backends.django.DjangoTemplates', 'APP_DIRS': True,
    'OPTIONS': {'context_processors': [
        'django.template.context_processors.request', 'django.contrib.auth.context_processors.auth',
        'django.contrib.messages.context_processors.messages']}}]
STATIC_URL = '/static/'

LOGIN_REDIRECT_URL = '/admin/'
${await readRecipe('django-settings', { ...app, url })}`
    const adapter = await readRecipe('django-roles', { ...app, url })
    const urls = `
from django.contrib import admin
from django.http import HttpResponse
from django.urls import include, path

urlpatterns = [
    path('', lambda request: HttpResponse('<h1>Welcome</h1>')),
    path('admin/', admin.site.urls),
    path('accounts/', include('allauth.urls')),
]
`
    await mkdir(join(folder, 'site'))
    for (const [name, text] of Object.entries({ settings, roles: adapter, site_urls: urls }))
      await writeFile(join(folder, 'site', `${name}.py`), text)
    const env = { DJANGO_SETTINGS_MODULE: 'settings', PYTHONPATH: join(folder, 'site') }
    const command = `from django.core.management import execute_from_command_line as run
run(['', 'migrate', '-v', '0'])
run(['', 'runserver', '--noreload', '127.0.0.1:${port}'])`
    await startApplication(t, `${url}/`, [python, '-c', command], { cwd: folder, env })

    const page = await openApplication(t)
    await page.goto(`${url}/accounts/oidc/daikon/login/`)
    await chooseUser(page, app.email)
    await page.getByRole('heading', { name: 'Site administration' }).waitFor()
    await page.getByRole('link', { name: 'Users' }).click()
    await page.getByRole('link', { name: /ann/i }).first().click()
    t.true(await page.getByLabel('Superuser status').isChecked())
    await takePicture(page, 'django')
    t.is(await page.getByLabel('First name').inputValue(), 'Ann')
    t.is(await page.getByLabel('Email address').inputValue(), app.email)
    await page.goto(`${url}/accounts/logout/`)
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('heading', { name: 'Welcome' }).waitFor()
    await page.goto(`${url}/accounts/oidc/daikon/login/`)
    await waitForSignIn(page)
  },
)
