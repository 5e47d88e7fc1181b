import { type NamedObject, useName } from '../api/names.ts'
import { RowLink } from './row-link.tsx'

/** Shows the name of the object that an ID identifies, with a link to its page. */
export function Name({ id, fallback }: { id: string; fallback?: string }) {
  const { data } = useName(id)
  if (data) return <NameLink object={data} />
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

function NameLink({
  object: { id, type, name, workspace_id: workspaceId },
}: {
  object: NamedObject
}) {
  const link = { className: 'link', children: name }
  switch (type) {
    case 'user':
      return <RowLink to="/people/$userId" params={{ userId: id }} {...link} />
    case 'workspace':
      return <RowLink to="/workspaces/$workspaceId" params={{ workspaceId: id }} {...link} />
    case 'group':
    case 'role': {
      const search = type === 'group' ? { tab: 'groups', group: id } : { tab: 'roles' }
      const params = { workspaceId: workspaceId ?? '' }
      return <RowLink to="/workspaces/$workspaceId" params={params} search={search} {...link} />
    }
    case 'permission':
      return <RowLink to="/resources/$permissionId" params={{ permissionId: id }} {...link} />
    case 'service_app':
      return <RowLink to="/service-apps/$appId" params={{ appId: id }} {...link} />
    case 'client_app':
      return <RowLink to="/client-apps/$appId" params={{ appId: id }} {...link} />
    default:
      return <span>{name}</span>
  }
}
