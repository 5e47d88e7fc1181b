import { ErrorState } from '../ui/states.tsx'

/** Shown when a screen fails, for example because a new version of the console has replaced its files. */
export function RouteError({ error }: { error: unknown }) {
  return <ErrorState error={error} onRetry={() => window.location.reload()} />
}
