import { Text } from '@mantine/core'
import { Badge } from '../ui/badges.tsx'

/** Says that the mail server has refused the e-mail of an invitation, and with which status. */
export function UndeliveredInvitation({ status }: { status: string }) {
  return (
    <>
      <Badge color="red">Could not be delivered</Badge>
      <Text size="xs" c="dimmed">
        The mail server answered {status}. Check the address.
      </Text>
    </>
  )
}
