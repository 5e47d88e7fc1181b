import { type LinkComponent, type LinkProps, useRouter } from '@tanstack/react-router'
import type { ComponentProps, MouseEvent } from 'react'

type Props = ComponentProps<'a'> & Pick<LinkProps, 'to' | 'params' | 'search'>

/**
 * A link for rows. It does not know whether it leads to the current page: each `Link` computes that again
 * whenever the address changes, and a list has hundreds.
 */
export const RowLink = (({ to, params, search, ...props }: Props) => {
  const router = useRouter()
  const target = { to, params, search } as LinkProps
  const preload = () => void router.preloadRoute(target)
  function follow(event: MouseEvent) {
    const opensElsewhere = event.metaKey || event.ctrlKey || event.shiftKey || event.altKey
    if (opensElsewhere || event.button !== 0) return
    event.preventDefault()
    void router.navigate(target)
  }
  return (
    <a
      {...props}
      href={router.buildLocation(target).href}
      onClick={follow}
      onMouseEnter={preload}
      onFocus={preload}
    />
  )
}) as LinkComponent<'a'>
