import { Button, Group, Text, TextInput } from '@mantine/core'
import { createContext, type ReactNode, use, useCallback, useEffect, useState } from 'react'
import { ApiError } from '../api/api-error.ts'
import { keepVersions } from '../api/versions.ts'
import { Conflict } from './conflict.tsx'
import { Dialog } from './dialog.tsx'
import { useRefusalFocus } from './refusal-focus.ts'
import { ErrorState } from './states.tsx'

/** A confirmation of an action that cannot be undone. */
export type Confirmation = {
  title: string
  /** Explains what will be lost and what the consequences are. */
  children: ReactNode
  /** The verb for the action. */
  action: string
  /** A word that must be typed to confirm a very destructive action. */
  typed?: string
  /** Performs the action. The dialog stays open until it is done, and shows its error. */
  run: () => Promise<unknown>
}

const ConfirmContext = createContext<(confirmation: Confirmation) => void>(() => {})

/** Returns a function that opens the confirmation dialog. */
export function useConfirm(): (confirmation: Confirmation) => void {
  return use(ConfirmContext)
}

/**
 * Shows confirmations above the page. It must be inside the router, because confirmations may contain
 * links.
 */
export function ConfirmProvider({ children }: { children: ReactNode }) {
  const [confirmation, setConfirmation] = useState<Confirmation>()
  const [isOpen, setOpen] = useState(false)
  const confirm = useCallback((next: Confirmation) => {
    setConfirmation(next)
    setOpen(true)
  }, [])
  return (
    <ConfirmContext value={confirm}>
      {children}
      <Dialog opened={isOpen} onClose={() => setOpen(false)} title={confirmation?.title}>
        {confirmation && <ConfirmBody {...confirmation} onClose={() => setOpen(false)} />}
      </Dialog>
    </ConfirmContext>
  )
}

function ConfirmBody({
  children,
  action,
  typed,
  run,
  onClose,
}: Confirmation & { onClose: () => void }) {
  const [text, setText] = useState('')
  const [isRunning, setRunning] = useState(false)
  const [error, setError] = useState<unknown>()
  const root = useRefusalFocus<HTMLDivElement>(error)
  useEffect(keepVersions, [])

  async function execute() {
    setRunning(true)
    setError(undefined)
    try {
      await run()
      onClose()
    } catch (error) {
      setError(error)
      setRunning(false)
    }
  }

  return (
    <div ref={root}>
      <Text component="div" mb="md">
        {children}
      </Text>
      {typed && (
        <TextInput
          label={`Type ${typed} to confirm`}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
          mb="md"
          data-autofocus
        />
      )}
      {error instanceof ApiError && error.isConflict ? (
        <Conflict error={error} action={action} />
      ) : (
        error !== undefined && <ErrorState error={error} />
      )}
      <Group justify="flex-end" mt="md" gap="xs">
        <Button variant="default" onClick={onClose} disabled={isRunning}>
          Cancel
        </Button>
        <Button
          color="red"
          onClick={execute}
          loading={isRunning}
          disabled={typed !== undefined && text !== typed}
        >
          {action}
        </Button>
      </Group>
    </div>
  )
}
