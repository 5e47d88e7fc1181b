import { Badge } from '../ui/badges.tsx'
import { serviceAccountLink } from '../ui/object-link.ts'
import { PersonCell } from '../ui/person.tsx'
import { RowLink } from '../ui/row-link.tsx'
import classes from './member-list.module.css'
import type { Member } from './workspace-queries.ts'

/** Shows who a member is: a person, perhaps with support access, or a service account. */
export function MemberCell({ member }: { member: Member }) {
  const { user_id, workspace_id, name, email, kind, support } = member
  if (kind === 'service_account') {
    return (
      <span className={classes.member}>
        <RowLink {...serviceAccountLink(user_id, workspace_id)} className="strong-link">
          <bdi>{name}</bdi>
        </RowLink>
        <Badge>Service account</Badge>
      </span>
    )
  }
  return (
    <span className={classes.member}>
      <PersonCell id={user_id} name={name} email={email} />
      {support && <Badge color="yellow">Support</Badge>}
    </span>
  )
}
