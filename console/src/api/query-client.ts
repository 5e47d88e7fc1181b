import { type FetchQueryOptions, QueryClient, type QueryKey } from '@tanstack/react-query'
import { ApiError } from './api-error.ts'
import { serverUnavailable } from './signals.ts'

/** Whether retrying a failed read may succeed. */
function isTemporary(error: unknown): boolean {
  return error instanceof ApiError && (error.status === 0 || error.status >= 500)
}

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 15_000,
      // The server may run on this machine and be reachable while the browser is offline.
      networkMode: 'always',
      retry: (failures, error) => isTemporary(error) && failures < 2,
    },
    mutations: { networkMode: 'always', retry: false },
  },
})

/** Loads the current data of a query without keeping it, for a download. */
export function fetchNow<Data, Key extends QueryKey>(
  query: FetchQueryOptions<Data, Error, Data, Key>,
): Promise<Data> {
  return queryClient.fetchQuery({ ...query, staleTime: 0, gcTime: 0 })
}

/** Reloads everything that failed once the server is available again. */
serverUnavailable.subscribe(() => {
  if (!serverUnavailable.get()) void queryClient.invalidateQueries({ predicate: hasFailed })
})

function hasFailed({ state }: { state: { status: string; fetchFailureCount: number } }): boolean {
  return state.status === 'error' || state.fetchFailureCount > 0
}
