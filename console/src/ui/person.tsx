import { isWorkspaceConsole } from '../console-kind.ts'
import { Name } from './name.tsx'
import classes from './person.module.css'
import { RowLink } from './row-link.tsx'

/** Shows the initials of a person. Pictures would require requests to other origins. */
export function Initials({ name }: { name: string }) {
  const words = name.trim().split(/[\s@._-]+/)
  const initials = words
    .slice(0, 2)
    .map((word) => firstCharacter(word))
    .join('')
    .toUpperCase()
  return (
    <span className={classes.initials} aria-hidden="true">
      {initials || '?'}
    </span>
  )
}

/** Returns the first character as people see it, such as a flag or family that is one emoji. */
function firstCharacter(word: string): string {
  return segmenter.segment(word)[Symbol.iterator]().next().value?.segment ?? ''
}

const segmenter = new Intl.Segmenter()

type PersonProps = { id: string; name: string; email: string }

/**
 * Shows the name and e-mail address of a person in a list, with a link to the person's page, which only
 * administrators have. A service account, which has no e-mail address, leads to its workspace.
 */
export function PersonCell({ id, name, email }: PersonProps) {
  if (!email) {
    return (
      <span className={classes.person}>
        <Initials name={name} />
        <Name id={id} fallback={name} />
      </span>
    )
  }
  return (
    <span className={classes.person}>
      <Initials name={name || email} />
      <span className={classes.text}>
        {isWorkspaceConsole ? (
          <bdi className={name ? classes.name : classes.unnamed}>{name || email}</bdi>
        ) : (
          <RowLink
            to="/people/$userId"
            params={{ userId: id }}
            className={name ? 'strong-link' : `strong-link ${classes.unnamed}`}
          >
            <bdi>{name || email}</bdi>
          </RowLink>
        )}
        {name && <span className={classes.email}>{email}</span>}
      </span>
    </span>
  )
}
