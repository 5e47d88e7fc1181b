import { Switch, type SwitchProps, Text } from '@mantine/core'
import { GuestReach } from './guest-reach.tsx'
import { describeRole } from './roles.ts'

type Props = SwitchProps & {
  /** Null while no workspace is chosen. */
  workspaceId: string | null
  /** Undefined for a person who is invited. */
  userId?: string
  /** Whether the member is a guest already. */
  wasGuest?: boolean
  /** The role of the member. */
  role?: string
}

/** The switch that makes a member a guest. Below it is what that changes. */
export function GuestSwitch({ workspaceId, userId, wasGuest = false, role, ...field }: Props) {
  const isGuest = field.checked ?? false
  const losesRole = isGuest && role !== undefined && role !== 'viewer'
  return (
    <>
      <Switch
        label="Guest"
        mt="md"
        description="A guest is a viewer who sees only what is theirs, shared with them or public, and no other members."
        {...field}
      />
      <Text role="status" component="div" size="sm" mt="xs">
        {losesRole && <>The role {describeRole(role)} becomes Viewer. </>}
        {isGuest && workspaceId && <GuestReach workspaceId={workspaceId} userId={userId} />}
        {wasGuest && !isGuest && 'They see what is visible to the workspace immediately.'}
      </Text>
    </>
  )
}
