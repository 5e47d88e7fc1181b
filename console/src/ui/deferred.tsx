import { type ReactNode, useDeferredValue } from 'react'

type Props = {
  children: ReactNode
  /** Shown until the content has rendered. */
  fallback?: ReactNode
  /** Whether the content renders at once nevertheless. */
  isUrgent?: boolean
}

/** Content that renders in the background, so that the click or key that opens it is visible before it is. */
export function Deferred({ children, fallback = null, isUrgent = false }: Props) {
  const isRendered = useDeferredValue(true, isUrgent)
  return isRendered ? children : fallback
}
