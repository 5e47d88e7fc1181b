import { Alert, Button, Skeleton } from '@mantine/core'
import { type ReactNode, useDeferredValue } from 'react'
import { ApiError, describeError } from '../api/api-error.ts'
import { Icon, type IconName } from './icon.tsx'
import classes from './states.module.css'

type EmptyProps = {
  icon?: IconName
  title: string
  /** Whether the title is that of the page. */
  isPage?: boolean
  children?: ReactNode
  /** What to do next. */
  action?: ReactNode
}

/** Says that a list is empty, why, and what to do next. */
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

/** Says what failed and offers to try again. */
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

/** The shape of a page while it loads. */
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

/** Shows the data of a query, or that it is loading, or why it failed. */
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
  // The content renders in the background, so that the page reacts to what a person does until then.
  const data = useDeferredValue(query.data)
  // Data that was read before is shown even if reading it again has failed.
  if (data !== undefined) return children(data)
  if (!error || query.data !== undefined) return skeleton
  if (notFound && error instanceof ApiError && error.isNotFound) return notFound
  return <ErrorState error={error} onRetry={() => refetch()} />
}
