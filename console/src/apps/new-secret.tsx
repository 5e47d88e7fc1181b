import { Alert, Button, Group } from '@mantine/core'
import { CopyableCode } from '../ui/copy.tsx'
import { PersistentDialog } from '../ui/dialog.tsx'
import { Icon } from '../ui/icon.tsx'

/** Shows a new secret, which cannot be shown again. */
export function NewSecretModal({
  name = 'client secret',
  secret,
  onClose,
}: {
  name?: string
  secret: string | undefined
  onClose: () => void
}) {
  return (
    <PersistentDialog opened={secret !== undefined} title={`Copy the ${name}`}>
      <Alert color="yellow" variant="light" icon={<Icon name="alert" />} mb="md">
        This is the only time that it is shown.
      </Alert>
      {secret && <CopyableCode code={secret} label="Secret" />}
      <Group justify="flex-end" mt="lg">
        <Button onClick={onClose}>I have saved it</Button>
      </Group>
    </PersistentDialog>
  )
}
