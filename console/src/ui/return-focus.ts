import { useEffect } from 'react'

/**
 * The elements that last had the focus: the last one, and the last one outside of dialogs. For an
 * item of a menu, it is the button of the menu.
 */
let lastFocused: HTMLElement | undefined
let lastFocusedOnPage: HTMLElement | undefined

let openDialogs = 0

document.addEventListener('focusin', ({ target }) => {
  if (!(target instanceof HTMLElement)) return
  const menu = target.closest('[role="menu"]')
  const button = document.getElementById(menu?.getAttribute('aria-labelledby') ?? '')
  lastFocused = button ?? target
  if (!lastFocused.closest('[role="dialog"]')) lastFocusedOnPage = lastFocused
})

/**
 * When a dialog closes, returns the focus to what opened it. Mantine would return it to the item of a
 * menu, which has disappeared.
 */
export function useReturnFocus(isOpen: boolean): void {
  useEffect(() => {
    if (!isOpen) return
    // A dialog that opens another one closes before it, and what opened it may be deleted by it.
    const candidates = [lastFocused, lastFocusedOnPage, document.getElementById('content')]
    openDialogs += 1
    return () => {
      openDialogs -= 1
      const target = candidates.find((element) => element?.isConnected)
      // Another dialog that is still open keeps the focus inside.
      if (openDialogs > 0 && !target?.closest('[role="dialog"]')) return
      target?.focus({ preventScroll: true })
    }
  }, [isOpen])
}
