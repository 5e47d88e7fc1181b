import { useName } from '../api/names.ts'
import { objectLink } from './object-link.ts'
import { RowLink } from './row-link.tsx'

/** Shows the name of the object that an ID identifies, with a link to its page. */
export function Name({ id, fallback }: { id: string; fallback?: string }) {
  const { data } = useName(id)
  if (data) {
    const link = objectLink(data)
    if (!link) return <bdi>{data.name}</bdi>
    return (
      <RowLink {...link} className="link">
        <bdi>{data.name}</bdi>
      </RowLink>
    )
  }
  return (
    <span title={id} className="dimmed">
      {fallback ?? shortenId(id)}
    </span>
  )
}

/** Returns the last characters of an ID, because most IDs start with their creation time. */
export function shortenId(id: string): string {
  return `…${id.slice(-8)}`
}
