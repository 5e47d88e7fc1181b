import { Badge } from '@mantine/core'

export function VisibilityBadge({ visibility }: { visibility: string }) {
  return visibility === 'workspace' ? (
    <Badge variant="light" color="blue">
      Workspace
    </Badge>
  ) : (
    <Badge variant="default">Private</Badge>
  )
}
