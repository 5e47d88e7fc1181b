import type { ReactNode } from 'react'
import { describeRole } from '../workspaces/roles.ts'
import classes from './badges.module.css'

export type BadgeColor = 'blue' | 'gray' | 'indigo' | 'leaf' | 'outline' | 'red' | 'yellow'

type BadgeProps = {
  color?: BadgeColor
  size?: 'sm'
  children: ReactNode
}

export function Badge({ color, size, children }: BadgeProps) {
  return (
    <span className={classes.badge} data-color={color} data-size={size}>
      {children}
    </span>
  )
}

/** Shows whether an app is active. */
export function ActiveBadge({ isActive }: { isActive: boolean }) {
  return isActive ? <Badge color="leaf">Active</Badge> : <Badge color="red">Deactivated</Badge>
}

/** Shows whether a person is active, or has yet to sign in for the first time. */
export function PersonBadge({
  person: { is_active, last_sign_in_at },
}: {
  person: { is_active: boolean; last_sign_in_at: string | null }
}) {
  if (is_active && !last_sign_in_at) return <Badge color="yellow">Invited</Badge>
  return <ActiveBadge isActive={is_active} />
}

export function AdministratorBadge() {
  return <Badge color="indigo">Administrator</Badge>
}

/** Shows a role in a workspace. */
export function RoleBadge({ role }: { role: string }) {
  const label = describeRole(role)
  return role === 'owner' ? <Badge color="outline">{label}</Badge> : <Badge>{label}</Badge>
}

/** Marks a member who does not see what is visible to the workspace. */
export function GuestBadge() {
  return <Badge color="outline">Guest</Badge>
}

export function ClientTypeBadge({ type }: { type: string }) {
  return <Badge>{type === 'public' ? 'Public' : 'Confidential'}</Badge>
}

export function VisibilityBadge({ visibility }: { visibility: string }) {
  if (visibility === 'public') return <Badge color="yellow">Public</Badge>
  return visibility === 'workspace' ? <Badge color="blue">Workspace</Badge> : <Badge>Private</Badge>
}

/** Shows the number of items in a list. */
export function CountBadge({ value }: { value: number }) {
  return <Badge size="sm">{value.toLocaleString()}</Badge>
}
