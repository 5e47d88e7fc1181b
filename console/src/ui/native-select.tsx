import type { KeyboardEvent } from 'react'
import { Icon } from './icon.tsx'
import classes from './native-select.module.css'

type Props = {
  /** The label for screen readers. */
  label: string
  options: { value: string; label: string }[]
  value: string
  onChange: (value: string) => void
}

/** Keys that choose another option of a closed list at once, on most systems. */
const choosingKeys = /^(Arrow(Up|Down|Left|Right)|Page(Up|Down)|Home|End|[^ ])$/

/** Opens the list instead, because a member would get each role on the way to another one. */
function openList(event: KeyboardEvent<HTMLSelectElement>) {
  const { key, ctrlKey, metaKey, currentTarget } = event
  if (ctrlKey || metaKey || !choosingKeys.test(key) || !('showPicker' in currentTarget)) return
  event.preventDefault()
  currentTarget.showPicker()
}

/**
 * The browser's own select, for tables. A Mantine select would cost more than the rest of its row.
 */
export function NativeSelect({ label, options, value, onChange }: Props) {
  return (
    <span className={classes.field}>
      <select
        aria-label={label}
        value={value}
        onChange={(event) => onChange(event.currentTarget.value)}
        onKeyDown={openList}
      >
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </select>
      <Icon name="selector" size={14} />
    </span>
  )
}
