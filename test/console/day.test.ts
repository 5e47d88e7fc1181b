import test from 'ava'
import type { Page, Request } from 'playwright-core'
import { hasBrowser } from '../support/browser.ts'
import {
  administrator,
  member,
  openContext,
  signIn,
  startConsole,
  waitForValue,
  waitUntilIdle,
} from '../support/console.ts'
import { createSampleData } from '../support/console-data.ts'
import { useKeyboardAlone } from '../support/keyboard.ts'

if (hasBrowser) {
  const fixture = await startConsole()
  const data = await createSampleData(fixture)
  const { browser, consoleUrl, restUrl, openPage } = fixture
  // Tests that do not need a separate session share a page, so that the browser caches the console.
  const sharedPage = await openPage('/')
  useKeyboardAlone(sharedPage)
  test.after.always(() => fixture.stop())
  const visit = async (path: string) => {
    await sharedPage.goto(`${consoleUrl}${path}`)
    return sharedPage
  }

  test.serial(
    'a deep link survives the sign-in, and requests go only to the console and the REST API',
    async (t) => {
      const page = await (await openContext(browser)).newPage()
      const origins = new Set<string>()
      const assets: Request[] = []
      page.on('request', (request) => {
        origins.add(new URL(request.url()).origin)
        if (request.url().startsWith(`${consoleUrl}/assets/`)) assets.push(request)
      })
      await page.goto(`${consoleUrl}/people?q=amara`)
      await page.getByRole('link', { name: 'Continue with Google' }).waitFor()
      t.deepEqual([...origins].sort(), [consoleUrl, restUrl].sort())
      await waitUntilIdle(page)
      const sizes = await Promise.all(assets.map((request) => request.sizes()))
      const transferred = sum(sizes.map(({ responseBodySize }) => responseBodySize))
      t.true(transferred < 250_000, `the first load transfers ${transferred} bytes`)
      await page.getByRole('link', { name: 'Continue with Google' }).click()
      await page.getByRole('button', { name: new RegExp(administrator.email) }).click()
      await page.getByRole('link', { name: 'Amara Nwosu' }).waitFor()
      t.is(page.url(), `${consoleUrl}/people?q=amara`)
      await waitForValue(page.getByRole('searchbox'), 'amara')
      await page.context().close()
    },
  )

  test.serial(
    'a person who is not an administrator cannot sign in and sees the reason',
    async (t) => {
      const page = await (await openContext(browser)).newPage()
      useKeyboardAlone(page)
      await page.goto(consoleUrl)
      await page.getByRole('link', { name: 'Continue with GitHub' }).click()
      await page.getByRole('button', { name: new RegExp(member.email) }).click()
      await page
        .getByRole('alert')
        .getByText(/administrator/)
        .waitFor()
      t.is(new URL(page.url()).pathname, '/login')
      t.is(
        (await page.context().cookies()).find(({ name }) => name === 'admin_token'),
        undefined,
      )
      await page.context().close()
    },
  )

  test.serial(
    'an administrator can find a person with the command palette and deactivate them',
    async (t) => {
      const page = await visit('/')
      await page.getByRole('heading', { name: 'Overview' }).waitFor()
      await waitUntilIdle(page)
      await page.keyboard.press('Control+k')
      await page
        .getByPlaceholder('Find people, workspaces, groups, resources and screens')
        .fill('wen li')
      await page.getByRole('button', { name: /Wen Li/ }).waitFor()
      await page.keyboard.press('Enter')
      await page.getByRole('heading', { name: 'Wen Li', level: 1 }).waitFor()
      await page.getByRole('button', { name: 'More' }).click()
      await page.getByRole('menuitem', { name: 'Deactivate' }).click()
      const dialog = page.getByRole('dialog', { name: 'Deactivate Wen Li?' })
      await dialog.getByRole('button', { name: 'Deactivate' }).click()
      await page.getByText('Deactivated', { exact: true }).waitFor()
      await dialog.waitFor({ state: 'detached' })
      const { rows } = await fixture.pool.query('select is_active from users where name = $1', [
        'Wen Li',
      ])
      t.deepEqual(rows, [{ is_active: false }])
      await page.goto(`${consoleUrl}/people?status=deactivated`)
      await page.getByRole('link', { name: 'Wen Li' }).waitFor()
      t.is(await page.getByRole('row').count(), 2)
    },
  )

  test.serial(
    'the URL contains filters, page and tab, and the back button restores them',
    async (t) => {
      const page = await visit('/people')
      await page.getByRole('button', { name: 'Next page' }).click()
      await page.waitForURL(/page=2/)
      await page.getByRole('searchbox').fill('berg')
      await page.waitForURL(/q=berg/)
      await page.getByRole('link', { name: 'Jonas Berg' }).waitFor()
      t.is(new URL(page.url()).search, '?q=berg')
      await page.getByRole('link', { name: 'Jonas Berg' }).click()
      await page.getByRole('tab', { name: 'Memberships' }).click()
      await page.waitForURL(/tab=memberships/)
      await page.goBack()
      await page.goBack()
      await page.getByRole('link', { name: 'Jonas Berg' }).waitFor()
      await waitForValue(page.getByRole('searchbox'), 'berg')
    },
  )

  test.serial(
    'the page of a resource explains why a person may or may not perform an action',
    async (t) => {
      const page = await visit(`/resources/${data.resourceId}?user_id=${data.userId}&action=edit`)
      await page
        .getByText(/Chiara Conti may not edit .*: Chiara Conti is a .*; no share names /)
        .waitFor()
      await page.getByRole('button', { name: 'Share', exact: true }).click()
      const dialog = page.getByRole('dialog', { name: 'Share this resource' })
      await dialog.getByRole('combobox', { name: 'Person' }).fill('chiara')
      await page.getByRole('option', { name: /Chiara Conti/ }).click()
      await dialog.getByRole('combobox', { name: 'Permission' }).click()
      await page.getByRole('option', { name: 'edit' }).click()
      await dialog.getByRole('button', { name: 'Share' }).click()
      await page
        .getByText(/Chiara Conti may edit .*: .* is shared with Chiara Conti for editing/)
        .waitFor()
      await page.getByText('Shared with them (edit)').first().waitFor()
      t.pass()
    },
  )

  test.serial('the command palette finds a resource by the ID that its service uses', async (t) => {
    const page = await visit('/')
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    await waitUntilIdle(page)
    await page.keyboard.press('Control+k')
    await page
      .getByPlaceholder('Find people, workspaces, groups, resources and screens')
      .fill('roadmap-2027')
    await page.getByRole('button', { name: /roadmap-2027/ }).waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'roadmap-2027', level: 1 }).waitFor()
    t.is(page.url(), `${consoleUrl}/resources/${data.resourceId}`)
  })

  test.serial('the live log adds new events at the top', async (t) => {
    const page = await visit('/activity?target_type=group')
    const rows = page.getByRole('table', { name: 'Activity' }).getByRole('row')
    await rows.getByText('Group created').first().waitFor()
    const before = await rows.count()
    await page.getByRole('switch', { name: 'Live' }).check()
    await fixture.call('PATCH', `/admin/groups/${data.groupId}`, { description: 'Builders' })
    await rows.nth(1).getByText('Group updated').waitFor()
    t.is(await rows.count(), before + 1)
  })

  test.serial(
    'an administrator can create a role and grant it an action in the matrix',
    async (t) => {
      const page = await visit(`/workspaces/${data.workspaceId}?tab=roles`)
      await page.getByRole('button', { name: 'New role' }).click()
      const dialog = page.getByRole('dialog', { name: 'New role' })
      await dialog.getByRole('textbox', { name: 'Name' }).fill('Reviewer')
      await dialog.getByRole('button', { name: 'Create' }).click()
      // The form shows the conflict at the field and retains the input.
      await dialog.getByText('Another role in the workspace has this name').waitFor()
      t.is(await dialog.getByRole('textbox', { name: 'Name' }).getAttribute('aria-invalid'), 'true')
      await dialog.getByRole('textbox', { name: 'Name' }).fill('Translator')
      await dialog.getByRole('button', { name: 'Create' }).click()
      const saved = page.waitForResponse(
        (response) => response.request().method() === 'POST' && response.url().endsWith('/actions'),
      )
      // Not `check`, which fails if the box is still empty when the click ends: React fills it later.
      await page.getByRole('checkbox', { name: 'Translator may export in docs' }).click()
      await saved
      await page.reload()
      const granted = page.getByRole('checkbox', { name: 'Translator may export in docs' })
      await granted.and(page.locator(':checked')).waitFor()
    },
  )

  test.serial('a new key is shown once, with code examples, and can be rotated', async (t) => {
    const page = await visit('/service-apps')
    await page.getByRole('button', { name: 'New service app' }).click()
    const form = page.getByRole('dialog', { name: 'New service app' })
    await form.getByRole('button', { name: 'Create' }).click()
    await form.getByText('This field is required').first().waitFor()
    await form.getByRole('textbox', { name: 'Name' }).fill('Search')
    await form.getByRole('textbox', { name: 'Service' }).fill('search')
    await form.getByRole('button', { name: 'Create' }).click()
    const key = await readKey(page)
    for (const title of ['Python', 'Go', 'curl', 'grpcurl']) {
      await page.getByRole('tab', { name: title, exact: true }).click()
      await page.getByLabel(`Example for ${title}`).waitFor()
    }
    await page.getByRole('tab', { name: 'Python', exact: true }).click()
    await page.getByLabel('Example for Python').getByText('service="search"').waitFor()
    await closeKey(page)
    await page.getByRole('link', { name: 'Search' }).click()
    await page.getByRole('button', { name: 'Rotate key' }).click()
    await page.getByRole('button', { name: 'Create new key' }).click()
    const second = await readKey(page)
    await closeKey(page)
    t.not(second, key)
    t.false((await page.content()).includes(second))
  })

  test.serial('an import shows errors first, and imports the corrected file', async (t) => {
    const page = await visit('/import')
    const choose = (csv: string) =>
      page
        .locator('input[type=file]')
        .setInputFiles({ name: 'people.csv', mimeType: 'text/csv', buffer: Buffer.from(csv) })
    await choose(
      'email,workspace_slug,role\nnew@example.com,northwind,viewer\nbad,northwind,boss\n',
    )
    await page.getByText('Correct the rows with errors').waitFor()
    await page.getByText('bad', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Choose another file' }).click()
    await choose('email,workspace_slug,role\nnew@example.com,northwind,viewer\n')
    await page.getByRole('button', { name: 'Import 1 change', exact: true }).click()
    await page.getByText('The file was imported.').waitFor()
    const { rowCount } = await fixture.pool.query('select from users where email = $1', [
      'new@example.com',
    ])
    t.is(rowCount, 1)
  })

  test.serial('after the session ends, signing in submits the form that was open', async (t) => {
    const page = await openPage(`/workspaces/${data.workspaceId}`)
    await page.getByRole('button', { name: 'Invite' }).click()
    const dialog = page.getByRole('dialog', { name: /Invite to/ })
    await dialog.getByRole('textbox', { name: 'E-mail address' }).fill('late@example.com')
    await waitUntilIdle(page)
    await signIn(page.context(), 'expired')
    await dialog.getByRole('button', { name: 'Invite' }).click()
    await page.getByRole('dialog', { name: 'Your session has ended' }).waitFor()
    const [popup] = await Promise.all([
      page.context().waitForEvent('page'),
      page.getByRole('link', { name: 'Continue with Google' }).click(),
    ])
    await popup.getByRole('button', { name: new RegExp(administrator.email) }).click()
    await page.getByText('late@example.com was invited.').waitFor()
    t.is(new URL(page.url()).pathname, `/workspaces/${data.workspaceId}`)
    await page.context().close()
  })

  test.serial(
    'if two administrators make the same change, the second sees why it is rejected',
    async (t) => {
      const [first, second] = [await openPage('/workspaces'), await openPage('/workspaces')]
      for (const page of [first, second]) {
        await page.getByRole('button', { name: 'New workspace' }).click()
        await page.getByRole('textbox', { name: 'Name' }).fill('Support')
        await page.getByRole('textbox', { name: 'Slug' }).fill('support')
      }
      await first.getByRole('button', { name: 'Create' }).click()
      await first.getByRole('heading', { name: 'Support', level: 1 }).waitFor()
      await second.getByRole('button', { name: 'Create' }).click()
      await second.getByRole('dialog').getByText('Another workspace has this slug').waitFor()
      t.is(await second.getByRole('textbox', { name: 'Slug' }).getAttribute('aria-invalid'), 'true')
      await first.context().close()
      await second.context().close()
    },
  )

  test.serial('names that contain HTML are shown as text everywhere', async (t) => {
    const payload = '<img src=x onerror="window.stolen=1">"\'><script>window.stolen=1</script>'
    const page = await visit('/')
    await fixture.call('PATCH', `/admin/users/${data.userId}`, { name: payload })
    await fixture.call('PATCH', `/admin/workspaces/${data.workspaceId}`, {
      name: payload,
      description: payload,
    })
    await fixture.call('PATCH', `/admin/groups/${data.groupId}`, { name: payload })
    await fixture.call('PATCH', `/admin/service-apps/${data.serviceAppId}`, { name: payload })
    await fixture.call('PATCH', `/admin/client-apps/${data.clientAppId}`, { name: payload })
    const paths = [
      '/',
      `/people/${data.userId}?tab=memberships`,
      `/workspaces/${data.workspaceId}?tab=groups`,
      `/resources/${data.resourceId}`,
      '/service-apps',
      '/client-apps',
      '/activity',
    ]
    for (const path of paths) {
      await page.goto(`${consoleUrl}${path}`)
      await page.getByText('<img src=x onerror=').first().waitFor()
      t.is(await page.evaluate('window.stolen'), undefined, path)
      t.is(await page.locator('img').count(), 0)
    }
  })
}

function sum(numbers: number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}

async function readKey(page: Page): Promise<string> {
  return (await page.getByLabel('Service key', { exact: true }).innerText()).trim()
}

async function closeKey(page: Page): Promise<void> {
  await page.getByRole('checkbox', { name: 'I have stored the key' }).check()
  await page.getByRole('button', { name: 'Done' }).click()
  await page.getByLabel('Service key', { exact: true }).waitFor({ state: 'detached' })
}
