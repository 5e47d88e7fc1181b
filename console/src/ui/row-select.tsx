import { Icon } from './icon.tsx'
import classes from './row-select.module.css'

type Props = {
  /** What a screen reader reads, with the name of the row. */
  name: string
  options: { value: string; label: string }[]
  value: string
  onChange: (value: string) => void
}

/** The select of the platform, for rows: that of Mantine costs more than the rest of its row. */
export function RowSelect({ name, options, value, onChange }: Props) {
  return (
    <span className={classes.field}>
      <select
        aria-label={name}
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
