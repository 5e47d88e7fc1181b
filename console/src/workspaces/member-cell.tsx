import { Badge, GuestBadge } from '../ui/badges.tsx'
import { PersonCell } from '../ui/person.tsx'
import classes from './member-list.module.css'
import type { Member } from './workspace-queries.ts'

/** Shows who a member is: a person, perhaps with support access, or a service account. */
export function MemberCell({
  member: { user_id, name, email, kind, support, guest },
}: {
  member: Member
}) {
  return (
    <span className={classes.member}>
      <PersonCell id={user_id} name={name} email={email} />
      {kind === 'service_account' && <Badge>Service account</Badge>}
      {guest && <GuestBadge />}
      {support && <Badge color="yellow">Support</Badge>}
    </span>
  )
}
