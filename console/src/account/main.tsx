import '../mantine.css'
import 'virtual:theme.css'
import '../style.css'
import { MantineProvider } from '@mantine/core'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { theme } from '../theme.ts'
import { AccountPage } from './account-page.tsx'
import { DelegationPage } from './delegation-page.tsx'
import { settings } from './page-settings.ts'
import {
  type Arrival,
  completeSignIn,
  delegationLinkPath,
  type RequestFailure,
  signIn,
} from './session.ts'

/** Signs in by the session of the browser, or shows the page after that. */
async function start(): Promise<void> {
  const arrival = await completeSignIn().catch((error: RequestFailure): Arrival => {
    return { isSignedIn: false, error: error.message, query: new URLSearchParams() }
  })
  if (!arrival) return signIn('none')
  const isDelegationLink = settings.has_delegations && location.pathname === delegationLinkPath
  createRoot(document.getElementById('root') as HTMLElement).render(
    <StrictMode>
      <MantineProvider
        theme={theme}
        defaultColorScheme="auto"
        withCssVariables={false}
        withGlobalClasses={false}
      >
        {isDelegationLink ? (
          <DelegationPage arrival={arrival} />
        ) : (
          <AccountPage arrival={arrival} />
        )}
      </MantineProvider>
    </StrictMode>,
  )
}

start()
