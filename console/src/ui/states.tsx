import { Alert, Button, Skeleton } from '@mantine/core'
import { type ReactNode, useDeferredValue } from 'react'
import { ApiError, describeError } from '../api/api-error.ts'
import { Icon, type IconName } from './icon.tsx'
import classes from './states.module.css'

type EmptyProps = {
  icon?: IconName
  title: string
  /** Whether the title is also the title of the page. */
  isPage?: boolean
  children?: ReactNode
  /** The suggested next step. */
  action?: ReactNode
}

/** Explains that a list is empty and why, and suggests a next step. */
export function EmptyState({ icon = 'file', title, isPage, children, action }: EmptyProps) {
  const Title = isPage ? 'h1' : 'p'
  return (
    <div className={classes.empty}>
      <span className={classes.emptyIcon}>
        <Icon name={icon} size={22} />
      </span>
      <Title className={classes.emptyTitle}>{title}</Title>
      {children && <p className={classes.emptyText}>{children}</p>}
      {action && <div className={classes.emptyAction}>{action}</div>}
    </div>
  )
}

/** Shows an error and a button to try again. */
export function ErrorState({ error, onRetry }: { error: unknown; onRetry?: () => void }) {
  const requestId = error instanceof ApiError ? error.requestId : undefined
  return (
    <Alert
      color="red"
      variant="light"
      role="alert"
      icon={<Icon name="alert" />}
      title={describeError(error)}
    >
      {requestId && <p className={classes.requestId}>Request {requestId}</p>}
      {onRetry && (
        <Button size="xs" color="red" variant="outline" onClick={onRetry} mt="xs">
          Try again
        </Button>
      )}
    </Alert>
  )
}

/** The outline of a page while it loads. */
export function PageSkeleton() {
  return (
    <div role="status" aria-label="Loading" className={classes.skeleton}>
      <Skeleton height={32} width="40%" mb="lg" />
      <Skeleton height={140} radius="md" mb="md" />
      <Skeleton height={220} radius="md" />
    </div>
  )
}

type Query<Data> = { data: Data | undefined; error: unknown; refetch: () => unknown }

/** Shows the data of a query, a skeleton while it loads, or the error if it failed. */
export function QueryState<Data>({
  query,
  skeleton = <PageSkeleton />,
  notFound,
  children,
}: {
  query: Query<Data>
  skeleton?: ReactNode
  notFound?: ReactNode
  children: (data: Data) => ReactNode
}) {
  const { error, refetch } = query
  // The content renders in the background, so that the page stays responsive.
  const data = useDeferredValue(query.data)
  // Previously loaded data remains visible even if reloading it has failed.
  if (data !== undefined) return children(data)
  if (!error || query.data !== undefined) return skeleton
  if (notFound && error instanceof ApiError && error.isNotFound) return notFound
  return <ErrorState error={error} onRetry={() => refetch()} />
}
