import { Button, Group, Modal, Text, TextInput } from '@mantine/core'
import { createContext, type ReactNode, use, useCallback, useState } from 'react'
import { ErrorState } from './states.tsx'

/** A question before an act that cannot be undone. */
export type Confirmation = {
  title: string
  /** What goes, and what follows from it. */
  children: ReactNode
  /** The verb of the act. */
  action: string
  /** A word that must be typed, for acts that destroy much. */
  typed?: string
  /** Carries the act out. The dialog stays open until it is done, and shows its error. */
  run: () => Promise<unknown>
}

const ConfirmContext = createContext<(confirmation: Confirmation) => void>(() => {})

/** Returns a function that opens the dialog. */
export function useConfirm(): (confirmation: Confirmation) => void {
  return use(ConfirmContext)
}

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
      <Modal
        opened={isOpen}
        onClose={() => setOpen(false)}
        title={confirmation?.title}
        lockScroll={false}
        centered
      >
        {confirmation && <ConfirmBody {...confirmation} onClose={() => setOpen(false)} />}
      </Modal>
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

  async function carryOut() {
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
    <>
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
      {error !== undefined && <ErrorState error={error} />}
      <Group justify="flex-end" mt="md" gap="xs">
        <Button variant="default" onClick={onClose} disabled={isRunning}>
          Cancel
        </Button>
        <Button
          color="red"
          onClick={carryOut}
          loading={isRunning}
          disabled={typed !== undefined && text !== typed}
        >
          {action}
        </Button>
      </Group>
    </>
  )
}
