import { Alert, Button, Group, Modal } from '@mantine/core'
import { CopyableCode } from '../ui/copy.tsx'
import { Icon } from '../ui/icon.tsx'

/** Shows a client secret once. */
export function NewSecretModal({
  secret,
  onClose,
}: {
  secret: string | undefined
  onClose: () => void
}) {
  return (
    <Modal
      opened={secret !== undefined}
      onClose={() => {}}
      withCloseButton={false}
      closeOnEscape={false}
      closeOnClickOutside={false}
      lockScroll={false}
      centered
      title="Copy the client secret"
    >
      <Alert color="yellow" variant="light" icon={<Icon name="alert" />} mb="md">
        This is the only time that the secret is shown: the server keeps its hash.
      </Alert>
      {secret && <CopyableCode code={secret} label="Client secret" />}
      <Group justify="flex-end" mt="lg">
        <Button onClick={onClose}>I have stored it</Button>
      </Group>
    </Modal>
  )
}
