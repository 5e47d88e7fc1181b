import { useQuery } from '@tanstack/react-query'
import { Select } from '../ui/select.tsx'
import { serviceActionsQuery } from '../workspaces/workspace-queries.ts'

const builtIn = ['view', 'edit', 'manage']

/** Selects a built-in action or one that the service has registered. */
export function ActionSelect({
  service,
  value,
  onChange,
  isLabelHidden = false,
}: {
  service: string
  value: string
  onChange: (action: string) => void
  isLabelHidden?: boolean
}) {
  const { data } = useQuery(serviceActionsQuery)
  const registered = data?.find(({ service_name }) => service_name === service)?.actions ?? []
  const actions = [...builtIn, ...registered.map(({ name }) => name)]
  return (
    <Select
      label="Action"
      isLabelHidden={isLabelHidden}
      options={actions.map((action) => ({ value: action, label: action }))}
      value={value}
      onChange={(action) => action && onChange(action)}
      isSearchable
      w={180}
    />
  )
}
