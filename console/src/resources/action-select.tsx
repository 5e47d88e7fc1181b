import { Select } from '../ui/select.tsx'
import { useActions } from './service-actions.ts'

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
  const actions = useActions(service)
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
