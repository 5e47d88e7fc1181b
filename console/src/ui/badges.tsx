import { Badge } from '@mantine/core'
import { describeRole } from '../workspaces/roles.ts'

/** The state of a person or an app. */
export function ActiveBadge({ isActive }: { isActive: boolean }) {
  return isActive ? (
    <Badge variant="light" color="leaf">
      Active
    </Badge>
  ) : (
    <Badge variant="light" color="red">
      Deactivated
    </Badge>
  )
}

export function AdministratorBadge() {
  return (
    <Badge variant="light" color="indigo">
      Administrator
    </Badge>
  )
}

/** A role in a workspace. */
export function RoleBadge({ role }: { role: string }) {
  return <Badge variant={role === 'owner' ? 'outline' : 'default'}>{describeRole(role)}</Badge>
}

export function ClientTypeBadge({ type }: { type: string }) {
  return <Badge variant="default">{type === 'public' ? 'Public' : 'Confidential'}</Badge>
}
