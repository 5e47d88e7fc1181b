import type { DaikonBrowser } from '@daikon-auth/browser'
import { DaikonProvider, useCan, useUser } from '@daikon-auth/browser/react'
import { createElement } from 'react'
import { renderToString } from 'react-dom/server'

/** During server rendering, no user is signed in and no permission is known. */
function Page() {
  const user = useUser()
  const canEdit = useCan('edit', { type: 'document', id: 'roadmap' })
  return createElement('p', null, user === undefined && canEdit === undefined ? 'Loading' : 'Known')
}

const daikon = { user: undefined } as DaikonBrowser
console.log(renderToString(createElement(DaikonProvider, { daikon }, createElement(Page))))
