import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import axe from 'axe-core'
import type { Page } from 'playwright-core'
import { waitUntilIdle } from './console.ts'

/** The folder for pictures of the screens, set by `npm run console:pictures`. */
const pictures = process.env.CONSOLE_PICTURES

/** What is inspected: a screen alone, or with an open dialog or menu. */
type Kind = 'screen' | 'dialog' | 'menu'

/** Loads axe. The content security policy forbids adding script elements, but not evaluate(). */
export async function loadAxe(page: Page): Promise<void> {
  await page.evaluate(axe.source)
}

/**
 * Returns what is wrong with the page in light and dark mode and 360 pixels wide: violations that axe
 * finds, and scrolling sideways. Takes pictures if they are wanted.
 */
export async function inspectPage(
  page: Page,
  name: string,
  kind: Kind = 'screen',
): Promise<string[]> {
  const problems: string[] = []
  if (kind === 'screen') await page.getByRole('heading', { level: 1 }).first().waitFor()
  await waitUntilIdle(page)
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    // The page follows when it next renders.
    await page.locator(`html[data-mantine-color-scheme="${colorScheme}"]`).waitFor()
    for (const violation of await findViolations(page, colorScheme, kind)) {
      problems.push(`${colorScheme}: ${violation}`)
    }
    await takePicture(page, `${name}-${colorScheme}`, kind)
  }
  await page.emulateMedia({ colorScheme: 'light' })
  await page.setViewportSize({ width: 360, height: 740 })
  if (!(await fits(page, 360))) problems.push('the page scrolls sideways at 360 px')
  await takePicture(page, `${name}-narrow`, kind)
  await page.setViewportSize({ width: 1280, height: 860 })
  return problems
}

/**
 * Returns the violations that axe finds: the rules and the elements. The dark scheme only changes
 * colors, so only contrast rules apply.
 */
function findViolations(page: Page, scheme: 'light' | 'dark', kind: Kind): Promise<string[]> {
  const rules =
    scheme === 'dark'
      ? { runOnly: ['color-contrast', 'link-in-text-block'] }
      : // A menu is at the end of the page, outside its landmarks, but has the focus.
        { rules: { region: { enabled: kind !== 'menu' } } }
  return page.evaluate(`(async () => {
    const options = { resultTypes: ['violations'], ...${JSON.stringify(rules)} }
    const { violations } = await axe.run(document, options)
    return violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html, any: [check] }) => [id, html.slice(0, 200), check?.message].join(' | ')),
    )
  })()`)
}

/**
 * Whether the page fits into the width, at the latest after 100 frames: an open menu moves into a
 * narrower page after the first.
 */
async function fits(page: Page, width: number): Promise<boolean> {
  for (let frame = 0; frame < 100; frame += 1) {
    if ((await page.evaluate<number>('document.documentElement.scrollWidth')) <= width) return true
    // A page that paints nothing has no frames.
    await page.evaluate(
      'new Promise((done) => { requestAnimationFrame(done); setTimeout(done, 100) })',
    )
  }
  return false
}

/** Takes a picture of the whole screen, or of the visible part with a dialog or menu. */
async function takePicture(page: Page, name: string, kind: Kind): Promise<void> {
  if (!pictures) return
  mkdirSync(pictures, { recursive: true })
  await page.screenshot({ path: join(pictures, `${name}.png`), fullPage: kind === 'screen' })
}
