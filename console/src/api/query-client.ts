import { QueryClient } from '@tanstack/react-query'
import { ApiError } from './api-error.ts'
import { serverAway } from './signals.ts'

/** Whether a read that failed may succeed when it is repeated. */
function isTemporary(error: unknown): boolean {
  return error instanceof ApiError && (error.status === 0 || error.status >= 500)
}

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 15_000,
      // The browser may be offline while the server on this machine is not.
      networkMode: 'always',
      retry: (failures, error) => isTemporary(error) && failures < 2,
    },
    mutations: { networkMode: 'always', retry: false },
  },
})

/** Reads everything on the screen again when the server is back. */
serverAway.subscribe(() => {
  if (!serverAway.get()) void queryClient.invalidateQueries({ predicate: hasFailed })
})

function hasFailed({ state }: { state: { status: string; fetchFailureCount: number } }): boolean {
  return state.status === 'error' || state.fetchFailureCount > 0
}
