import { CloseButton, TextInput, type TextInputProps } from '@mantine/core'
import { type KeyboardEvent, type ReactNode, useId, useState } from 'react'
import { Icon } from './icon.tsx'
import classes from './select.module.css'

export type Option<Value extends string = string> = { value: Value; label: string }

type FieldProps = Pick<
  TextInputProps,
  'description' | 'error' | 'placeholder' | 'onFocus' | 'onBlur' | 'w' | 'mt'
>

type Props<Value extends string> = FieldProps & {
  label: string
  /** Whether only assistive technology reads the label. */
  isLabelHidden?: boolean | undefined
  options: Option<Value>[]
  value?: Value | null
  /** The label of a value that is not one of the options. */
  valueLabel?: string | undefined
  onChange: (value: Value | null) => void
  isClearable?: boolean
  /** Whether typing reduces the options to those that contain the text. */
  isSearchable?: boolean
  /** Searches on the server for the text that is typed. The options are then its results. */
  onSearch?: (text: string) => void
  /** Shown if no option contains the text. */
  nothingFound?: string
}

/**
 * A select, searchable or not: the combobox of the ARIA Authoring Practices. The browser places its list,
 * above everything else, and its options are plain elements: a list of 80 events opens within a frame or two,
 * where the `Select` of Mantine takes a third of a second on a slow CPU.
 */
export function Select<Value extends string = string>({
  label,
  isLabelHidden = false,
  options,
  value = null,
  valueLabel,
  onChange,
  isClearable = false,
  isSearchable = false,
  onSearch,
  nothingFound = 'Nothing found',
  onBlur,
  ...field
}: Props<Value>) {
  const listId = useId()
  const [isOpen, setOpen] = useState(false)
  const [activeIndex, setActiveIndex] = useState(-1)
  /** Undefined unless a person has typed since the list opened. */
  const [text, setText] = useState<string>()
  const visible = text && !onSearch ? options.filter(({ label }) => contains(label, text)) : options
  const selectedIndex = visible.findIndex((option) => option.value === value)
  const chosenLabel =
    value === null
      ? ''
      : (options.find((option) => option.value === value)?.label ?? valueLabel ?? value)

  function open(index = selectedIndex) {
    setOpen(true)
    setActiveIndex(index)
  }

  function close() {
    setOpen(false)
    setText(undefined)
    onSearch?.('')
  }

  function choose(option: Option<Value>) {
    close()
    if (option.value !== value) onChange(option.value)
  }

  function search(next: string) {
    setText(next)
    onSearch?.(next)
    open(-1)
  }

  function move(step: 1 | -1) {
    if (!isOpen) return open(Math.max(0, selectedIndex))
    const start = activeIndex < 0 && step < 0 ? 0 : activeIndex
    setActiveIndex((start + step + visible.length) % visible.length)
  }

  /** Returns whether the key was for the select. */
  function follow({ key, ctrlKey, metaKey, altKey }: KeyboardEvent): boolean {
    const active = isOpen ? visible[activeIndex] : undefined
    if (key === 'ArrowDown' || key === 'ArrowUp') {
      move(key === 'ArrowDown' ? 1 : -1)
      return true
    }
    if (key === 'Escape' && isOpen) {
      close()
      return true
    }
    if (key === 'Enter' || (key === ' ' && !isSearchable)) {
      if (active) choose(active)
      else if (!isSearchable) open()
      return active !== undefined || !isSearchable
    }
    if (isSearchable || key.length > 1 || ctrlKey || metaKey || altKey) return false
    const index = findNext(options, key, isOpen ? activeIndex : selectedIndex)
    if (index >= 0) open(index)
    return index >= 0
  }

  return (
    <TextInput
      {...field}
      {...(isLabelHidden ? { 'aria-label': label } : { label })}
      role="combobox"
      aria-haspopup="listbox"
      aria-expanded={isOpen}
      aria-controls={isOpen ? listId : undefined}
      aria-activedescendant={isOpen && activeIndex >= 0 ? `${listId}-${activeIndex}` : undefined}
      aria-autocomplete={isSearchable ? 'list' : undefined}
      autoComplete="off"
      // A dialog around it does not close with the list.
      data-mantine-stop-propagation={isOpen || undefined}
      pointer={!isSearchable}
      readOnly={!isSearchable}
      value={text ?? chosenLabel}
      onChange={(event) => search(event.currentTarget.value)}
      onClick={() => (isOpen && !isSearchable ? close() : open())}
      onKeyDown={(event) => {
        if (!event.nativeEvent.isComposing && follow(event)) event.preventDefault()
      }}
      onBlur={(event) => {
        if (isOpen) close()
        onBlur?.(event)
      }}
      rightSectionPointerEvents={isClearable && value ? 'all' : 'none'}
      rightSection={
        isClearable && value ? (
          <CloseButton
            size="sm"
            aria-label={`Clear ${label.toLowerCase()}`}
            onClick={() => onChange(null)}
          />
        ) : (
          <Icon name="selector" size={16} />
        )
      }
      inputContainer={(input) => (
        <div className={classes.field}>
          {input}
          {isOpen && (
            <List id={listId} label={label} nothingFound={nothingFound}>
              {visible.map((option, index) => (
                // biome-ignore lint/a11y/useKeyWithClickEvents: the field has the focus and the keys
                <div
                  key={option.value}
                  id={`${listId}-${index}`}
                  role="option"
                  tabIndex={-1}
                  className={classes.option}
                  aria-selected={index === selectedIndex}
                  data-active={index === activeIndex || undefined}
                  ref={index === activeIndex ? scrollIntoView : undefined}
                  onClick={() => choose(option)}
                >
                  {option.label}
                  {index === selectedIndex && <Icon name="check" size={14} />}
                </div>
              ))}
            </List>
          )}
        </div>
      )}
    />
  )
}

type ListProps = { id: string; label: string; nothingFound: string; children: ReactNode[] }

function List({ id, label, nothingFound, children }: ListProps) {
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the field keeps the focus
    <div
      ref={showPopover}
      popover="manual"
      tabIndex={-1}
      className={classes.list}
      onMouseDown={(event) => event.preventDefault()}
    >
      {children.length === 0 ? (
        <p role="status">{nothingFound}</p>
      ) : (
        <div id={id} role="listbox" aria-label={label}>
          {children}
        </div>
      )}
    </div>
  )
}

function showPopover(element: HTMLElement | null): void {
  element?.showPopover()
}

function scrollIntoView(element: HTMLElement | null): void {
  element?.scrollIntoView({ block: 'nearest' })
}

function contains(label: string, text: string): boolean {
  return label.toLowerCase().includes(text.trim().toLowerCase())
}

/** The index of the next option after `index` that begins with a letter, or -1. */
function findNext(options: Option[], letter: string, index: number): number {
  const starts = ({ label }: Option) => label.toLowerCase().startsWith(letter.toLowerCase())
  const next = options.findIndex((option, position) => position > index && starts(option))
  return next < 0 ? options.findIndex(starts) : next
}
