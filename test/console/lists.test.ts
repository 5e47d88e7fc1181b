import { readFile } from 'node:fs/promises'
import test from 'ava'
import { hasBrowser } from '../support/browser.ts'
import { navigate, startConsole, waitForValue } from '../support/console.ts'
import { createSampleData, type SampleData } from '../support/console-data.ts'
import { inspectPage, loadAxe } from '../support/console-screens.ts'
import { useKeyboardAlone } from '../support/keyboard.ts'

/** The lists by the name of their file: where they are, their columns and a text in one of the rows. */
const lists: Record<string, { path: (data: SampleData) => string; columns: string; row: RegExp }> =
  {
    people: {
      path: () => '/people',
      columns: 'id,email,name,external_id,is_active,is_admin,last_sign_in_at,created_at',
      row: /,zoe.andersson@example.com,Zoe Andersson,,true,false,/,
    },
    workspaces: {
      path: () => '/workspaces',
      columns: 'id,slug,name,description,created_at',
      row: /,northwind,Northwind,The whole company,/,
    },
    members: {
      path: ({ workspaceId }) => `/workspaces/${workspaceId}`,
      columns:
        'user_id,email,name,role,guest,kind,support,status,joined_at,expires_at,email_refusal',
      row: /,zoe.andersson@example.com,Zoe Andersson,editor,false,user,false,invited,,/,
    },
    groups: {
      path: ({ workspaceId }) => `/workspaces/${workspaceId}?tab=groups`,
      columns: 'id,name,description,created_at',
      row: /,Product,Everyone who builds it,/,
    },
    'members-of-Product': {
      path: ({ workspaceId, groupId }) => `/workspaces/${workspaceId}?tab=groups&group=${groupId}`,
      columns: 'user_id,email,name,via',
      row: /,hugo.martin@example.com,Hugo Martin,/,
    },
    roles: {
      path: ({ workspaceId }) => `/workspaces/${workspaceId}?tab=roles`,
      columns: 'id,name,description,member_count,group_count,created_at',
      row: /,Publisher,,1,0,/,
    },
    'members-with-Publisher': {
      path: ({ workspaceId }) => `/workspaces/${workspaceId}?tab=roles`,
      columns: 'user_id,email,name',
      row: /,farid.haddad@example.com,Farid Haddad/,
    },
    resources: {
      path: () => '/resources',
      columns:
        'id,service_name,resource_type,resource_id,external_id,workspace_id,owner_id,visibility,effective_visibility,share_count,created_at',
      row: /,docs,document,[^,]+,roadmap-2027,.*,private,private,2,/,
    },
    'who-has-access': {
      path: ({ resourceId }) => `/resources/${resourceId}`,
      columns: 'user_id,email,name,reasons,conditions',
      row: /,ben.carter@example.com,Ben Carter,workspace_role group_share/,
    },
    shares: {
      path: ({ resourceId }) => `/resources/${resourceId}`,
      columns:
        'id,grantee_type,grantee_id,permission,role,condition,expires_at,granted_at,granted_by',
      row: /,group,[^,]+,edit,,/,
    },
    memberships: {
      path: ({ userId }) => `/people/${userId}?tab=memberships`,
      columns: 'workspace_id,workspace_name,role,guest,joined_at,expires_at',
      row: /,Northwind,viewer,false,/,
    },
    sessions: {
      path: ({ userId }) => `/people/${userId}?tab=sessions`,
      columns: 'id,workspace_id,user_agent,created_at,last_used_at,expires_at',
      row: /,"Mozilla\/5.0 \(Windows.*\(KHTML, like Gecko\)|,Mozilla\/5.0 \(Windows/,
    },
    'service-apps': {
      path: () => '/service-apps',
      columns: 'id,name,service_name,key_prefix,is_active,last_used_at,created_at',
      row: /,Documents,docs,dk_/,
    },
    'client-apps': {
      path: () => '/client-apps',
      columns: 'id,name,type,redirect_uris,workspace_id,is_active,created_at',
      row: /,Invoices,confidential,/,
    },
    'management-apps': {
      path: () => '/management-apps',
      columns: 'id,name,scopes,secret_prefix,is_active,last_used_at,created_at',
      row: /,Deployment,apps:write workspaces:write,dm_/,
    },
  }

// What every list offers: a download, and filters that the browser remembers.
if (hasBrowser) {
  const fixture = await startConsole()
  const data = await createSampleData(fixture)
  const page = await fixture.openPage('/')
  useKeyboardAlone(page)
  await loadAxe(page)
  test.after.always(() => fixture.stop())

  const button = (name: string) => page.getByRole('button', { name, exact: true })
  const item = (name: string) => page.getByRole('menuitem', { name, exact: true })
  const dialog = page.getByRole('dialog')

  async function download(name: string): Promise<string> {
    const waiting = page.waitForEvent('download')
    await button(`Download ${name.replaceAll('-', ' ')} as CSV`).click()
    const file = await waiting
    if (file.suggestedFilename() !== `${name}.csv`) throw new Error(file.suggestedFilename())
    return readFile(await file.path(), 'utf8')
  }

  for (const [name, { path, columns, row }] of Object.entries(lists)) {
    test.serial(`${name}: all rows are downloaded as CSV`, async (t) => {
      await navigate(page, path(data))
      const text = await download(name)
      t.is(text.split('\r\n')[0], columns)
      t.regex(text, row)
    })
  }

  test.serial('a download has all pages, only what matches, and no formulas', async (t) => {
    await fixture.pool.query(`update users set name = '=HYPERLINK("x")' where email like 'wen.%'`)
    await fixture.pool.query(
      `insert into users (id, email, name)
       select gen_random_uuid(), 'p' || n || '@example.org', '+Person, ' || n
       from generate_series(1, 230) n`,
    )
    // Without the notifications of other downloads.
    await page.goto(`${fixture.consoleUrl}/people`)
    await loadAxe(page)
    const lines = (await download('people')).trimEnd().split('\r\n')
    t.is(lines.length, 1 + 26 + 230)
    t.is(new Set(lines).size, lines.length)
    t.true(lines.some((line) => line.includes(`,"'=HYPERLINK(""x"")",`)))
    t.true(lines.some((line) => line.includes(`,p230@example.org,"'+Person, 230",`)))
    await page.getByText('256 rows downloaded.').waitFor()
    await navigate(page, '/people?q=carter')
    await page.getByText('1–1 of 1', { exact: true }).waitFor()
    t.is((await download('people')).trimEnd().split('\r\n').length, 2)
    await page.getByText('1 row downloaded.').waitFor()
  })

  test.serial('a resource is listed by its name, and its ID can be copied', async (t) => {
    await fixture.pool.query(
      "update resources set display_name = 'Team handbook' where external_id = 'handbook'",
    )
    await page.goto(`${fixture.consoleUrl}/resources?external_id=handbook`)
    const row = page.getByRole('row', { name: /Team handbook/ })
    await row.getByRole('link', { name: 'Team handbook', exact: true }).waitFor()
    t.is(await row.getByRole('code').textContent(), 'handbook')
    await loadAxe(page)
    t.deepEqual(await inspectPage(page, 'resources-named'), [])
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await row.getByRole('button', { name: 'Copy ID' }).click()
    await row.getByRole('button', { name: 'Copied' }).waitFor()
    t.is(await page.evaluate('navigator.clipboard.readText()'), 'handbook')
  })

  for (const [list, path, filters, control, value] of [
    ['people', '/people', '?q=berg&status=active', 'Search names and e-mail addresses', 'berg'],
    ['members', `/workspaces/${data.workspaceId}`, '?q=berg&role=editor', 'Search members', 'berg'],
    ['resources', '/resources', '?external_id=handbook', 'Resource ID', 'handbook'],
    ['activity', '/activity', '?action=group.created', 'Event', 'Group created'],
  ] as const) {
    test.serial(`${list}: filters are saved, applied and forgotten`, async (t) => {
      const field = page.getByLabel(control, { exact: true }).and(page.locator('input'))
      await navigate(page, `${path}${filters}`)
      await waitForValue(field, value)
      await button('Saved filters').click()
      await item('Save these filters…').click()
      await page.getByRole('dialog', { name: 'Save these filters' }).waitFor()
      await dialog.getByRole('button', { name: 'Save' }).click()
      await dialog.getByText('This field is required').waitFor()
      if (list === 'people')
        t.deepEqual(await inspectPage(page, 'dialog-save-filters', 'dialog'), [])
      await dialog.getByRole('textbox', { name: 'Name' }).fill('Mine')
      await dialog.getByRole('button', { name: 'Save' }).click()
      await dialog.waitFor({ state: 'detached' })
      await page.goto(`${fixture.consoleUrl}${path}`)
      await waitForValue(field, '')
      await button('Saved filters').click()
      await item('Mine').waitFor()
      t.true(await item('Save these filters…').isDisabled())
      await item('Mine').click()
      await waitForValue(field, value)
      t.deepEqual(
        Object.fromEntries(new URL(page.url()).searchParams),
        Object.fromEntries(new URLSearchParams(filters)),
      )
      await page.getByRole('menu').waitFor({ state: 'detached' })
      await button('Saved filters').click()
      await loadAxe(page)
      if (list === 'people') t.deepEqual(await inspectPage(page, 'menu-filters', 'menu'), [])
      await item('Forget Mine').click()
      await page.getByRole('menu').waitFor({ state: 'detached' })
      await button('Saved filters').click()
      await item('Save these filters…').waitFor()
      t.is(await item('Mine').count(), 0)
      await page.locator('[role="menu"]:focus-within').waitFor()
      await page.keyboard.press('Escape')
      await page.getByRole('menu').waitFor({ state: 'detached' })
    })
  }
}
