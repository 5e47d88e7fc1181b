import { useEffect, useState } from 'react'

/** Milliseconds for which a page has to be on the screen before its answer counts. */
const settlingTime = 500

/**
 * Whether the page has been on the screen and in front for half a second. A click before that was meant for
 * what the page has replaced, or what was in front of it.
 */
export function useSettled(): boolean {
  const [isSettled, setSettled] = useState(false)
  useEffect(() => {
    let timer: number | undefined
    function restart() {
      clearTimeout(timer)
      setSettled(false)
      timer = window.setTimeout(() => setSettled(true), settlingTime)
    }
    restart()
    window.addEventListener('focus', restart)
    window.addEventListener('blur', restart)
    document.addEventListener('visibilitychange', restart)
    return () => {
      clearTimeout(timer)
      window.removeEventListener('focus', restart)
      window.removeEventListener('blur', restart)
      document.removeEventListener('visibilitychange', restart)
    }
  }, [])
  return isSettled
}
