import { type RefObject, useEffect, useRef } from 'react'

/**
 * Moves the focus into an element when something in it was refused: to the first field with an error, otherwise to
 * the message. The button that was pressed has lost the focus, because it was disabled in the meantime.
 */
export function useRefusalFocus<Root extends HTMLElement>(
  /** What was refused; another object for each refusal. */
  refusal: unknown,
): RefObject<Root | null> {
  const root = useRef<Root>(null)
  useEffect(() => {
    if (refusal === undefined) return
    const find = (selector: string) => root.current?.querySelector<HTMLElement>(selector)
    const field = find('[aria-invalid="true"]')
    const message = find('[role="alert"]')
    if (!field) message?.setAttribute('tabindex', '-1')
    ;(field ?? message)?.focus()
  }, [refusal])
  return root
}
