import { DaikonProvider } from '@daikon-auth/browser/react'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './app.tsx'
import { daikon } from './daikon.ts'
import { showError } from './notice.tsx'
import './style.css'

createRoot(document.getElementById('root') as HTMLElement).render(
  <StrictMode>
    <DaikonProvider daikon={daikon} onError={showError}>
      <App />
    </DaikonProvider>
  </StrictMode>,
)
