import { Icon } from './icon.tsx'
import classes from './native-select.module.css'

type Props = {
  /** The label for screen readers. */
  label: string
  options: { value: string; label: string }[]
  value: string
  onChange: (value: string) => void
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
