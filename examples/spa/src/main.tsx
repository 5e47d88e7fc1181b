import { DaikonProvider } from '@daikon-auth/browser/react'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './app.tsx'
import { daikon } from './daikon.ts'
import { showNotice } from './notice.tsx'
import './style.css'

createRoot(document.getElementById('root') as HTMLElement).render(
  <StrictMode>
    <DaikonProvider daikon={daikon} onError={({ message }) => showNotice(message)}>
      <App />
    </DaikonProvider>
  </StrictMode>,
)
