import { type ReactNode, useDeferredValue } from 'react'

type Props = {
  children: ReactNode
  /** Shown until the content has rendered. */
  fallback?: ReactNode
  /** Whether to render the content immediately. */
  isUrgent?: boolean
}

/**
 * Renders its content in the background, so that the click or keystroke that opens it takes effect
 * first.
 */
export function Deferred({ children, fallback = null, isUrgent = false }: Props) {
  const isRendered = useDeferredValue(true, isUrgent)
  return isRendered ? children : fallback
}
