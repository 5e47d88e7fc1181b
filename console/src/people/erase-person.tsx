import { Alert, Button, Group, List, Text, TextInput } from '@mantine/core'
import { useEffect, useState } from 'react'
import { ApiError, describeError } from '../api/api-error.ts'
import { api, unwrap } from '../api/client.ts'
import { keepVersions } from '../api/versions.ts'
import { Conflict } from '../ui/conflict.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { PersonPicker } from '../ui/pickers.tsx'
import { useRefusalFocus } from '../ui/refusal-focus.ts'
import type { Person } from './people-queries.ts'

type Props = { person: Person; isOpen: boolean; onClose: () => void; onErased: () => void }

/**
 * Erases a person. If the person owns resources, the administrator chooses a new owner for them.
 */
export function ErasePerson({ person, isOpen, onClose, onErased }: Props) {
  const [kept, setKept] = useState<Kept[]>([])
  const isErased = kept.length > 0
  const name = person.name || person.email
  return (
    <Dialog
      opened={isOpen}
      onClose={isErased ? onErased : onClose}
      title={isErased ? `${name} is erased, but still named` : `Erase ${name}?`}
    >
      {isErased ? (
        <KeptElsewhere kept={kept} onDone={onErased} />
      ) : (
        <EraseForm
          person={person}
          onClose={onClose}
          onErased={(kept) => (kept.length > 0 ? setKept(kept) : onErased())}
        />
      )}
    </Dialog>
  )
}

/** Records of services and customers that name an erased person; `count` is absent if unknown. */
type Kept = { kind: string; count?: number }

function KeptElsewhere({ kept, onDone }: { kept: Kept[]; onDone: () => void }) {
  return (
    <>
      <Text mb="xs">
        Texts that services and customers wrote still contain the name, an address or an identifier.
        Correct them where they were written:
      </Text>
      <List size="sm">
        {kept.map(({ kind, count }) => (
          <List.Item key={kind}>
            {kind.replaceAll('_', ' ')}: {count ?? 'not counted'}
          </List.Item>
        ))}
      </List>
      <Group justify="flex-end" mt="lg">
        <Button onClick={onDone} data-autofocus>
          Done
        </Button>
      </Group>
    </>
  )
}

type EraseFormProps = {
  person: Person
  onClose: () => void
  onErased: (kept: Kept[]) => void
}

function EraseForm({ person, onClose, onErased }: EraseFormProps) {
  const [typed, setTyped] = useState('')
  const [successor, setSuccessor] = useState<string | null>(null)
  const [error, setError] = useState<unknown>()
  const [isRunning, setRunning] = useState(false)
  const root = useRefusalFocus<HTMLDivElement>(error)
  useEffect(keepVersions, [])
  const needsSuccessor = error instanceof ApiError && countServices(error) > 0

  async function erase() {
    setRunning(true)
    const query = successor ? { transfer_to: successor } : {}
    const params = { path: { user_id: person.id }, query }
    try {
      const erased = api.DELETE('/admin/users/{user_id}', { params })
      await unwrap(erased)
      onErased(JSON.parse((await erased).response.headers.get('x-kept-elsewhere') ?? '[]'))
    } catch (error) {
      setError(error)
      setRunning(false)
    }
  }

  return (
    <div ref={root}>
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
    </div>
  )
}

/** Returns in how many services resources stand in the way of an erasure. */
function countServices({ reason, problem }: ApiError): number {
  if (reason !== 'ERASURE_BLOCKED') return 0
  return (problem as { services?: object[] }).services?.length ?? 0
}
