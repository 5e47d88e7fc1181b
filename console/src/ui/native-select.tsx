import { Icon } from './icon.tsx'
import classes from './native-select.module.css'

type Props = {
  /** What a screen reader reads. */
  label: string
  options: { value: string; label: string }[]
  value: string
  onChange: (value: string) => void
}

/** The select of the platform, for tables: that of Mantine costs more than the rest of its row. */
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
