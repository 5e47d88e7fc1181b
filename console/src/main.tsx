import './mantine.css'
import '@mantine/notifications/styles.css'
import '@mantine/spotlight/styles.css'
import 'virtual:theme.css'
import './style.css'
import { MantineProvider } from '@mantine/core'
import { Notifications } from '@mantine/notifications'
import { QueryClientProvider } from '@tanstack/react-query'
import { CatchBoundary, RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { queryClient } from './api/query-client.ts'
import { isWorkspaceConsole } from './console-kind.ts'
import { router } from './router.tsx'
import { SessionOverlay } from './session/session-overlay.tsx'
import { RouteError } from './shell/route-error.tsx'
import { theme } from './theme.ts'

createRoot(document.getElementById('root') as HTMLElement).render(
  <StrictMode>
    {/* The style sheet contains what Mantine would otherwise add as inline styles. */}
    <MantineProvider
      theme={theme}
      defaultColorScheme="auto"
      withCssVariables={false}
      withGlobalClasses={false}
    >
      <QueryClientProvider client={queryClient}>
        <CatchBoundary getResetKey={() => 'root'} errorComponent={RouteError}>
          <RouterProvider router={router} />
          {!isWorkspaceConsole && <SessionOverlay />}
          <Notifications position="bottom-left" />
        </CatchBoundary>
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>,
)
