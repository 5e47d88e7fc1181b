import { Button, Group, Text } from '@mantine/core'
import { CopyableCode } from '../ui/copy.tsx'
import { PersistentDialog } from '../ui/dialog.tsx'

/** Shows the link of an invitation, which the server shows once if it sends no e-mails. */
export function InvitationLink({ url, onClose }: { url: string | undefined; onClose: () => void }) {
  return (
    <PersistentDialog opened={url !== undefined} title="Send the invitation link">
      <Text mb="md">
        This server sends no e-mails. Send the link to the invited person: it can be used once, only
        by them, and ends after seven days.
      </Text>
      {url && <CopyableCode code={url} label="Invitation link" />}
      <Group justify="flex-end" mt="lg">
        <Button onClick={onClose}>Done</Button>
      </Group>
    </PersistentDialog>
  )
}
