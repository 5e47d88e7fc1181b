import { Button, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useEffect } from 'react'
import { sessionEnded, useSignal } from '../api/signals.ts'
import { PersistentDialog } from '../ui/dialog.tsx'
import { ProviderButtons } from './provider-buttons.tsx'
import { onSessionEvent, readSession, sessionQuery, signedInPath } from './session.ts'

/**
 * When the session has ended, offers to sign in again in another window, without losing input on
 * the page. Requests that failed because the session ended continue afterwards.
 */
export function SessionOverlay() {
  const isOpen = useSignal(sessionEnded)
  const queryClient = useQueryClient()

  useEffect(() => {
    if (!isOpen) return
    async function resume() {
      const administrator = await readSession().catch(() => null)
      if (!administrator) return
      const previous = queryClient.getQueryData(sessionQuery.queryKey)
      // The content of the page and the pending requests belong to the previous administrator.
      if (previous && previous.id !== administrator.id) return window.location.reload()
      queryClient.setQueryData(sessionQuery.queryKey, administrator)
      sessionEnded.set(false)
    }
    const stopListening = onSessionEvent('signed-in', resume)
    window.addEventListener('focus', resume)
    return () => {
      stopListening()
      window.removeEventListener('focus', resume)
    }
  }, [isOpen, queryClient])

  return (
    <SessionEndedDialog isOpen={isOpen}>
      <ProviderButtons returnTo={signedInPath} newWindow />
    </SessionEndedDialog>
  )
}

/** Offers ways to sign in again without leaving the page. */
export function SessionEndedDialog({ isOpen, children }: { isOpen: boolean; children: ReactNode }) {
  return (
    <PersistentDialog opened={isOpen} zIndex={1000} title="Your session has ended">
      <Text mb="md">
        Sign in again in a new window. This page stays as it is, and what you were doing continues.
      </Text>
      {children}
      <Button
        variant="subtle"
        color="gray"
        fullWidth
        mt="xs"
        onClick={() => window.location.reload()}
      >
        Leave this page
      </Button>
    </PersistentDialog>
  )
}
