import test from 'ava'
import type { Page } from 'playwright-core'
import { hasBrowser } from '../support/browser.ts'
import { navigate, startConsole, waitUntilIdle } from '../support/console.ts'
import { createSampleData, type SampleData } from '../support/console-data.ts'

/** The screens to walk, each with a text that appears once it has loaded. */
const screens: Record<string, [path: (data: SampleData) => string, loaded: string]> = {
  overview: [() => '/', 'Largest workspaces'],
  people: [() => '/people', 'Amara Nwosu'],
  person: [({ userId }) => `/people/${userId}`, 'Linked accounts'],
  members: [({ workspaceId }) => `/workspaces/${workspaceId}`, 'Amara Nwosu'],
  roles: [({ workspaceId }) => `/workspaces/${workspaceId}?tab=roles`, 'Publish to the website'],
  resource: [({ resourceId }) => `/resources/${resourceId}`, 'Shared with the group'],
  'service app': [({ serviceAppId }) => `/service-apps/${serviceAppId}`, 'Sorts documents'],
  'client app': [({ clientAppId }) => `/client-apps/${clientAppId}`, 'Client ID'],
  'connected apps': [() => '/connected-apps', 'No connected apps yet'],
  activity: [() => '/activity', 'Resource shared'],
  import: [() => '/import', 'Drop a CSV file here'],
}

/** More presses of Tab than any of the screens has elements. */
const maxPresses = 250

if (hasBrowser) {
  const fixture = await startConsole()
  const data = await createSampleData(fixture)
  const page = await fixture.openPage('/')
  await page.getByText('Largest workspaces').waitFor()
  test.after.always(() => fixture.stop())

  for (const [name, [path, loaded]] of Object.entries(screens)) {
    test.serial(
      `Tab reaches everything on the screen ${name}, and shows where it is`,
      async (t) => {
        await navigate(page, path(data))
        await page.getByText(loaded).first().waitFor()
        await waitUntilIdle(page)
        const { names, mouseOnly } = await listControls(page)
        t.deepEqual(mouseOnly, [])
        t.true(names.length > 10)
        const { reached, unmarked } = await walk(page)
        t.deepEqual(unmarked, [], 'the focus is visible')
        t.deepEqual(
          names.filter((name) => !reached.has(name)),
          [],
          'Tab reaches the element',
        )
      },
    )
  }
}

/**
 * Numbers the elements that can be operated and remembers how they look without the focus. Returns their
 * names, and what reacts only to the mouse. Tabs and menus have one stop for all of their items.
 */
function listControls(page: Page): Promise<{ names: string[]; mouseOnly: string[] }> {
  return page.evaluate(`(() => {
    document.activeElement?.blur()
    const controls = 'a[href], button, input, select, textarea, [tabindex="0"]'
    const isShown = (element) => element.checkVisibility({ visibilityProperty: true }) &&
      element.getClientRects().length > 0
    window.lookOf = (element) => [element, element.parentElement, element.nextElementSibling,
      element.parentElement.parentElement].flatMap((one) => {
        if (!one) return []
        const { outlineStyle, outlineColor, outlineWidth, boxShadow, borderColor, backgroundColor } =
          getComputedStyle(one)
        const outline = outlineStyle === 'none' ? '' : outlineColor + outlineWidth
        return [outline, boxShadow, borderColor, backgroundColor]
      }).join('|')
    const describe = (element) => element.getAttribute('aria-label') ??
      (element.textContent.trim().slice(0, 60) || element.id || element.outerHTML.slice(0, 120))
    const names = []
    document.querySelectorAll(controls).forEach((element, index) => {
      element.dataset.walk = index + ' ' + describe(element)
      element.dataset.look = window.lookOf(element)
      if (!isShown(element) || element.disabled || element.tabIndex < 0) return
      if (element.type === 'file') return
      names.push(element.dataset.walk)
    })
    const mouseOnly = [...document.querySelectorAll('main *')].filter((element) =>
      isShown(element) && getComputedStyle(element).cursor === 'pointer' &&
      !element.closest('a, button, input, select, label, [role="tab"], [tabindex], summary') &&
      !element.closest('tr')?.querySelector('a, button') &&
      !element.querySelector('a, button, input, select'))
    return { names, mouseOnly: mouseOnly.map((element) => element.outerHTML.slice(0, 120)) }
  })()`)
}

/** Presses Tab until the focus has gone around. Returns what had the focus, and where it was not to be seen. */
async function walk(page: Page): Promise<{ reached: Set<string>; unmarked: string[] }> {
  const reached = new Set<string>()
  const unmarked: string[] = []
  let last: string | undefined
  for (let presses = 0; presses < maxPresses; presses += 1) {
    await page.keyboard.press('Tab')
    const at = (await page.evaluate(`(() => {
      const element = document.activeElement
      if (!element || element === document.body) return null
      const { walk = element.outerHTML.slice(0, 120), look } = element.dataset
      return { walk, isMarked: look === undefined || look !== window.lookOf(element) }
    })()`)) as { walk: string; isMarked: boolean } | null
    // The document itself is one of the stops, and a date is several.
    if (!at || at.walk === last) continue
    if (reached.has(at.walk)) break
    last = at.walk
    reached.add(at.walk)
    if (!at.isMarked) unmarked.push(at.walk)
  }
  return { reached, unmarked }
}
