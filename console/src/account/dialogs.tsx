import { Button, Group, Modal, Text, TextInput } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { RequestFailure, signIn } from './session.ts'

/** What is asked before something is done. */
export type Question = {
  title: string
  text: ReactNode
  action: string
  /** Asks for a text, such as a name. */
  label?: string
  value?: string
  isDangerous?: boolean
  run: (value: string) => Promise<unknown>
}

/** Asks a question, does what is confirmed, and shows why it failed. */
export function QuestionDialog({ question, onClose }: { question: Question; onClose: () => void }) {
  const [value, setValue] = useState(question.value ?? '')
  const [error, setError] = useState<Error>()
  const [isBusy, setBusy] = useState(false)
  const needsSignIn = error instanceof RequestFailure && error.reason === 'SIGN_IN_TOO_OLD'

  async function confirm(): Promise<void> {
    if (needsSignIn) return signIn('login')
    setBusy(true)
    setError(undefined)
    try {
      await question.run(value)
      onClose()
    } catch (thrown) {
      setError(thrown as Error)
    } finally {
      setBusy(false)
    }
  }

  return (
    <Modal
      opened
      onClose={onClose}
      title={question.title}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault()
          confirm()
        }}
      >
        <Text component="div">{question.text}</Text>
        {question.label && (
          <TextInput
            mt="md"
            label={question.label}
            value={value}
            maxLength={200}
            onChange={(event) => setValue(event.currentTarget.value)}
          />
        )}
        {error && (
          <Text mt="md" role="alert">
            {needsSignIn
              ? 'Sign in again to make this change. You come back to this page, and can make it within ten minutes.'
              : describe(error)}
          </Text>
        )}
        <Group mt="lg" justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button
            type="submit"
            loading={isBusy}
            {...(question.isDangerous && !needsSignIn && { color: 'red' })}
          >
            {needsSignIn ? 'Sign in again' : question.action}
          </Button>
        </Group>
      </form>
    </Modal>
  )
}

type Obstacles = {
  workspaces?: { slug: string }[]
  services?: { service_name: string; resources: number }[]
}

function describe(error: Error): string {
  if (!(error instanceof RequestFailure) || error.reason !== 'ERASURE_BLOCKED') return error.message
  const { workspaces = [], services = [] } = error.problem as Obstacles
  return [
    ...workspaces.map(
      ({ slug }) => `You are the last owner of ${slug}: make somebody else an owner, or delete it.`,
    ),
    ...services.map(
      ({ service_name, resources }) =>
        `You own ${resources} ${resources === 1 ? 'resource' : 'resources'} in ${service_name} that others can see: name the ID of the user who gets them.`,
    ),
  ].join(' ')
}
