import { Alert, Button, Group, List, Text, TextInput } from '@mantine/core'
import { useEffect, useState } from 'react'
import { ApiError, describeError } from '../api/api-error.ts'
import { api, unwrap } from '../api/client.ts'
import { keepVersions } from '../api/versions.ts'
import { Conflict } from '../ui/conflict.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { PersonPicker } from '../ui/pickers.tsx'
import type { Person } from './people-queries.ts'

type Props = { person: Person; isOpen: boolean; onClose: () => void; onErased: () => void }

/**
 * Erases a person. If the person owns resources, the administrator chooses a new owner for them.
 */
export function ErasePerson(props: Props) {
  return (
    <Dialog
      opened={props.isOpen}
      onClose={props.onClose}
      title={`Erase ${props.person.name || props.person.email}?`}
    >
      <EraseForm {...props} />
    </Dialog>
  )
}

function EraseForm({ person, onClose, onErased }: Props) {
  const [typed, setTyped] = useState('')
  const [successor, setSuccessor] = useState<string | null>(null)
  const [error, setError] = useState<unknown>()
  const [isRunning, setRunning] = useState(false)
  useEffect(keepVersions, [])
  const needsSuccessor = error instanceof ApiError && error.reason === 'OWNS_RESOURCES'

  async function erase() {
    setRunning(true)
    const query = successor ? { transfer_to: successor } : {}
    const params = { path: { user_id: person.id }, query }
    try {
      await unwrap(api.DELETE('/admin/users/{user_id}', { params }))
      onErased()
    } catch (error) {
      setError(error)
      setRunning(false)
    }
  }

  return (
    <>
      <Text mb="xs">This cannot be undone. It removes:</Text>
      <List size="sm" mb="md">
        <List.Item>memberships, groups, roles and shares</List.Item>
        <List.Item>sessions and linked accounts</List.Item>
        <List.Item>workspaces that have no other member</List.Item>
        <List.Item>name and e-mail address in the activity log, whose entries remain</List.Item>
      </List>
      {(needsSuccessor || successor) && (
        <PersonPicker
          label="Give their resources to"
          description="A member of every workspace that the resources belong to."
          value={successor}
          onChange={setSuccessor}
        />
      )}
      <TextInput
        label={`Type ${person.email} to confirm`}
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
        mt="md"
        data-autofocus
      />
      {error instanceof ApiError && error.isConflict && <Conflict error={error} action="Erase" />}
      {error !== undefined && !(error instanceof ApiError && error.isConflict) && (
        <Alert color="red" variant="light" role="alert" mt="md">
          {describeError(error)}
        </Alert>
      )}
      <Group justify="flex-end" mt="lg" gap="xs">
        <Button variant="default" onClick={onClose} disabled={isRunning}>
          Cancel
        </Button>
        <Button color="red" onClick={erase} loading={isRunning} disabled={typed !== person.email}>
          Erase
        </Button>
      </Group>
    </>
  )
}
