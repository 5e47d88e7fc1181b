import { useQuery } from '@tanstack/react-query'
import { serviceActionsQuery } from '../workspaces/workspace-queries.ts'

const builtIn = ['view', 'edit', 'manage']

/** Returns the built-in actions and those that a service has registered. */
export function useActions(service: string): string[] {
  const { data } = useQuery(serviceActionsQuery)
  const registered = data?.find(({ service_name }) => service_name === service)?.actions ?? []
  return [...builtIn, ...registered.map(({ name }) => name)]
}
