import { type LinkComponent, type LinkProps, useRouter } from '@tanstack/react-router'
import { type ComponentProps, type MouseEvent, useRef } from 'react'

/**
 * Milliseconds that the pointer must rest on a link before the screen is preloaded, as in `Link`.
 */
const preloadDelay = 50

type Props = ComponentProps<'a'> & Pick<LinkProps, 'to' | 'params' | 'search'>

/**
 * A link for rows. Unlike `Link`, it does not determine whether it leads to the current page, which
 * `Link` does on every change of the address. A list can have hundreds of links.
 */
export const RowLink = (({ to, params, search, ...props }: Props) => {
  const router = useRouter()
  const target = { to, params, search } as LinkProps
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  // Delayed, because preloading a screen that a click is about to open would delay the click.
  function preload() {
    cancel()
    timer.current = setTimeout(() => router.preloadRoute(target), preloadDelay)
  }
  const cancel = () => clearTimeout(timer.current)
  function follow(event: MouseEvent) {
    const opensElsewhere = event.metaKey || event.ctrlKey || event.shiftKey || event.altKey
    if (opensElsewhere || event.button !== 0) return
    event.preventDefault()
    cancel()
    void router.navigate(target)
  }
  return (
    <a
      {...props}
      href={router.buildLocation(target).href}
      onClick={follow}
      onMouseEnter={preload}
      onMouseLeave={cancel}
      onFocus={preload}
      onBlur={cancel}
    />
  )
}) as LinkComponent<'a'>
