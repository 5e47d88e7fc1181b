import { Button } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { EmptyState } from '../ui/states.tsx'

export function NotFoundPage({ title = 'This page does not exist' }: { title?: string }) {
  return (
    <EmptyState
      icon="help"
      isPage
      title={title}
      action={
        <Button component={Link} to="/" variant="default">
          Go to the overview
        </Button>
      }
    >
      It may have been deleted, or the address is not complete.
    </EmptyState>
  )
}
