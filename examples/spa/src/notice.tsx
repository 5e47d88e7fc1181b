import { useSyncExternalStore } from 'react'
import { daikon } from './daikon.ts'

let notice = ''
const listeners = new Set<() => void>()

/** Shows a message above the page; an empty one hides it. */
export function showNotice(text: string): void {
  notice = text
  for (const listener of listeners) listener()
}

export function showError({ message }: Error): void {
  showNotice(message)
}

daikon.subscribe((event) => {
  if (event.type === 'unavailable') showNotice('The connection is lost. Trying to reconnect …')
  else if (event.type === 'sessionEnded')
    showNotice('Your session has ended. Please sign in again.')
  else if (event.type === 'signedIn' || event.type === 'refreshed') showNotice('')
})

function subscribe(listener: () => void) {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

export function Notice() {
  const text = useSyncExternalStore(subscribe, () => notice)
  return (
    <div role="status" className={text ? 'notice' : undefined}>
      {text}
    </div>
  )
}
