import type { BrowserContext, Locator, Page } from 'playwright-core'
import { waitUntilIdle } from './console.ts'
import { waitUntil } from './wait-until.ts'

/** More presses of a key than any screen has elements. */
const maxPresses = 250

const byKeyboard = {
  click,
  fill,
  selectOption,
  check: setChecked(true),
  uncheck: setChecked(false),
}

/** The contexts whose pages are used by keyboard. Other files of a thread use theirs by mouse. */
const contexts = new WeakSet<BrowserContext>()

let isReplaced = false

/**
 * Replaces what locators do with the mouse, on all pages of the page's context, by presses of keys alone: Tab and the
 * arrows until the focus is where the mouse would click, then Enter, Space or the text. Only files are still chosen
 * without a key, because their dialog belongs to the system.
 */
export function useKeyboardAlone(page: Page): void {
  contexts.add(page.context())
  if (isReplaced) return
  isReplaced = true
  const prototype = Object.getPrototypeOf(page.locator('body'))
  for (const [name, press] of Object.entries(byKeyboard)) {
    const byMouse = prototype[name]
    prototype[name] = function (this: Locator, ...values: unknown[]) {
      return (contexts.has(this.page().context()) ? press : byMouse).apply(this, values)
    }
  }
}

async function click(this: Locator, options: ReachOptions = {}): Promise<void> {
  const { keyboard } = this.page()
  const { role, isOpen } = await reach(this, options)
  if (role === 'option' || role === 'tab')
    return role === 'tab' ? undefined : keyboard.press('Enter')
  if (role === 'combobox') return isOpen ? undefined : keyboard.press('ArrowDown')
  await keyboard.press(role === 'checkbox' || role === 'switch' ? 'Space' : 'Enter')
}

async function fill(this: Locator, text: string): Promise<void> {
  const { keyboard } = this.page()
  const { type, role } = await reach(this)
  if (type === 'datetime-local') return fillTime(this, text)
  await keyboard.press('Control+a')
  await keyboard.press('Delete')
  if (text) await keyboard.type(text)
  if (role !== 'combobox') return
  // The list follows a moment after the last key. A person sees that, too, before they choose.
  await waitUntil(async () => (await this.getAttribute('aria-busy')) !== 'true')
  await waitUntilIdle(this.page())
}

/** Types a time into its parts, in the order of en-US. */
async function fillTime(locator: Locator, text: string): Promise<void> {
  const { keyboard } = locator.page()
  const [, year, month, day, hour, minute] = /^(\d+)-(\d+)-(\d+)T(\d+):(\d+)$/.exec(text) ?? []
  const parts = text ? [month, day, year, hour, minute] : ['', '', '', '', '', '']
  for (const part of parts) {
    if (part) await keyboard.type(part)
    else await keyboard.press('Delete')
    if (!part || part === year) await keyboard.press('ArrowRight')
  }
  if (Number(hour) < 12) await keyboard.type('am')
  await waitUntil(async () => (await locator.inputValue()) === text)
}

/** Chooses an option of a list of the browser by its value or label. */
async function selectOption(this: Locator, option: string | { label: string }): Promise<void> {
  const { keyboard } = this.page()
  await reach(this)
  const wanted = typeof option === 'string' ? option : option.label
  const index = await this.evaluate(
    (select, text) =>
      [...select.options].findIndex(({ value, label }) => value === text || label === text),
    wanted,
  )
  for (const key of ['ArrowDown', 'Home']) await keyboard.press(key)
  for (let presses = 0; presses < index; presses += 1) await keyboard.press('ArrowDown')
  await keyboard.press('Enter')
}

function setChecked(value: boolean) {
  return async function (this: Locator): Promise<void> {
    await reach(this)
    if ((await this.isChecked()) !== value) await this.page().keyboard.press('Space')
    await waitUntil(async () => (await this.isChecked()) === value)
  }
}

type Position = { role: string; type: string; isOpen: boolean; isReached: boolean; key: string }

type ReachOptions = { force?: boolean }

/**
 * Presses keys until an element has the focus, or is the one that Enter chooses. With `force`, it may be disabled.
 * If the page is left, the element is looked for on the next one, as locators do.
 */
async function reach(locator: Locator, options: ReachOptions = {}): Promise<Position> {
  for (;;) {
    try {
      return await reachOnPage(locator, options)
    } catch (error) {
      if (!String(error).includes('Execution context was destroyed')) throw error
    }
  }
}

async function reachOnPage(locator: Locator, { force = false }: ReachOptions): Promise<Position> {
  const { keyboard } = locator.page()
  await locator.waitFor()
  if (!force) await waitUntil(() => locator.isEnabled())
  await waitUntil(() => isDialogReady(locator))
  for (let presses = 0; presses < maxPresses; presses += 1) {
    const position = await findPosition(locator)
    if (position.isReached) return position
    await keyboard.press(position.key)
  }
  throw new Error(`No key leads to ${locator}`)
}

/** A dialog moves the focus from what opened it into itself. */
function isDialogReady(locator: Locator): Promise<boolean> {
  return locator.evaluate((element) => {
    const dialog = element.closest('[role="dialog"]')
    const { activeElement, body } = element.ownerDocument
    return !dialog || activeElement === body || dialog.contains(activeElement)
  })
}

/** Tells where the focus is, and which key brings it nearer to an element. */
function findPosition(locator: Locator): Promise<Position> {
  return locator.evaluate((found) => {
    // A text stands for the link or button that it is in.
    const element = found.closest('a[href], button') ?? found
    const document = element.ownerDocument
    const active = document.activeElement
    const type = element.type ?? ''
    const role = element.getAttribute('role') ?? (type === 'checkbox' ? type : '')
    const isOpen = element.getAttribute('aria-expanded') === 'true'
    const position = (isReached: boolean, key: string) => ({ role, type, isOpen, isReached, key })
    if (role === 'option') {
      const marked = active.getAttribute('aria-activedescendant')
      return position(marked === element.id && marked !== '', 'ArrowDown')
    }
    if (role.startsWith('menuitem')) return position(active === element, 'ArrowDown')
    const tabs = role === 'tab' ? element.parentElement : undefined
    if (tabs?.contains(active)) return position(active === element, 'ArrowRight')
    const target = tabs?.querySelector('[role="tab"][tabindex="0"]') ?? element
    const selector = 'a[href], button, input, select, textarea, [tabindex="0"]'
    const stops = [...document.querySelectorAll(selector)].filter(
      (stop) => stop.tabIndex >= 0 && !stop.disabled && stop.checkVisibility(),
    )
    // What only scrolls can have the focus, too. It is between two of the stops.
    const before = stops.filter((stop) => stop.compareDocumentPosition(active) & 4).length
    const from = stops.includes(active) ? stops.indexOf(active) : before - 0.5
    // After the last element, the first one follows, and the other way around.
    const forward = (stops.indexOf(target) - from + stops.length) % stops.length
    return position(active === element, forward > stops.length / 2 ? 'Shift+Tab' : 'Tab')
  })
}
