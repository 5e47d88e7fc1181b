import { type Option, Select } from './select.tsx'

type Props<Value extends string> = {
  label: string
  placeholder: string
  options: Option<Value>[]
  /** Undefined if the list is not filtered. */
  value: Value | undefined
  onChange: (value: Value | undefined) => void
  isSearchable?: boolean
  /** The width in pixels or as a CSS length. */
  w: number | string
}

/** A select that filters a list and can be cleared. */
export function FilterSelect<Value extends string>(props: Props<Value>) {
  const { value, onChange, ...others } = props
  return (
    <Select
      {...others}
      isLabelHidden
      isClearable
      value={value ?? null}
      onChange={(chosen) => onChange(chosen ?? undefined)}
    />
  )
}
