import { UnstyledButton } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { createSpotlight, Spotlight } from '@mantine/spotlight'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import {
  type KeyboardEvent,
  memo,
  type RefObject,
  useDeferredValue,
  useEffect,
  useRef,
  useState,
} from 'react'
import { Deferred } from '../ui/deferred.tsx'
import { Icon } from '../ui/icon.tsx'
import { findResults, type Result, searchQuery } from './palette-results.ts'

const [store, palette] = createSpotlight()

export const openPalette = palette.open

const label = 'Find people, workspaces, groups, resources and screens'

/**
 * Finds screens, people, workspaces, groups and resources by name. The first result is selected.
 * Enter waits for the results of the text that has been typed.
 */
export function Palette() {
  const [text, setText] = useState('')
  // Deferred, so that a keystroke appears in the field before the results are rendered.
  const deferredText = useDeferredValue(text)
  const enter = useRef<Enter>({ settled: '', awaited: undefined, isChosen: false })

  function onKeyDown(event: KeyboardEvent) {
    if (event.nativeEvent.isComposing) return
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') enter.current.isChosen = true
    if (event.key !== 'Enter') return
    // Mantine would open a result of the previous text.
    event.preventDefault()
    event.stopPropagation()
    if (enter.current.settled === text.trim()) clickSelected()
    else enter.current.awaited = text.trim()
  }

  return (
    <Spotlight.Root
      store={store}
      query={text}
      onQueryChange={(next) => {
        Object.assign(enter.current, { awaited: undefined, isChosen: false })
        setText(next)
      }}
      shortcut={['mod + K']}
      lockScroll={false}
      attributes={{ content: { 'aria-label': 'Find' } }}
      // Opens without a transition, so that the field has the focus before the next keystroke.
      transitionProps={{ duration: 0 }}
      scrollable
      maxHeight="min(26rem, 70vh)"
      // The same as for dialogs. Blurring the page would be very slow without a GPU.
      overlayProps={{ backgroundOpacity: 0.35 }}
    >
      <div onKeyDownCapture={onKeyDown}>
        <Spotlight.Search
          placeholder={label}
          aria-label={label}
          maxLength={100}
          leftSection={<Icon name="search" />}
        />
      </div>
      <Deferred>
        <Spotlight.ActionsList data-results>
          <Results text={deferredText.trim()} enter={enter} />
        </Spotlight.ActionsList>
      </Deferred>
    </Spotlight.Root>
  )
}

type Enter = {
  /** The text whose results are shown. */
  settled: string
  /** The text at which Enter was pressed before its results were shown. */
  awaited: string | undefined
  /** Whether an arrow key has chosen a result since the text changed. */
  isChosen: boolean
}

const Results = memo(function Results({ text, enter }: { text: string; enter: RefObject<Enter> }) {
  const [q] = useDebouncedValue(text, 150)
  const objects = useQuery({ ...searchQuery(q), placeholderData: keepPreviousData })
  const sections = findResults(text, text === '' ? [] : (objects.data?.items ?? []))
  const isSettled = text === '' || (q === text && !objects.isPlaceholderData && !objects.isLoading)
  const keys = sections.flatMap(({ results }) => results.map(({ key }) => key)).join()

  useEffect(() => {
    if (!isSettled) return
    const { awaited, isChosen } = enter.current
    const chosen = isChosen ? findSelected() : -1
    const isKept = chosen >= 0
    select(isKept ? chosen : 0)
    const isAwaited = awaited === text
    // On a slow device, an earlier text can settle after Enter was pressed.
    enter.current = { settled: text, awaited: isAwaited ? undefined : awaited, isChosen: isKept }
    if (isAwaited && isKept === isChosen) clickSelected()
  }, [isSettled, text, keys])

  if (sections.length === 0) {
    return <Spotlight.Empty>{isSettled ? 'Nothing found' : 'Searching…'}</Spotlight.Empty>
  }
  return sections.map(({ label, results }) => (
    <Spotlight.ActionsGroup key={label} label={label}>
      {results.map((result) => (
        <ResultButton key={result.key} result={result} />
      ))}
    </Spotlight.ActionsGroup>
  ))
})

/** Looks like `Spotlight.Action`, which would render again on each keystroke. */
function ResultButton({ result: { icon, label, description, link } }: { result: Result }) {
  const navigate = useNavigate()
  const { classes } = Spotlight
  return (
    <button
      type="button"
      tabIndex={-1}
      className={`${UnstyledButton.classes.root} ${classes.action}`}
      data-action
      // Keeps the focus in the field.
      onMouseDown={(event) => event.preventDefault()}
      onClick={() => {
        palette.close()
        void navigate(link)
      }}
    >
      <span className={classes.actionSection} data-position="left" data-dimmed>
        <Icon name={icon} />
      </span>
      <span className={classes.actionBody}>
        <span className={classes.actionLabel}>
          <bdi>{label}</bdi>
        </span>
        <span className={classes.actionDescription}>
          <bdi>{description}</bdi>
        </span>
      </span>
    </button>
  )
}

/** Returns the index of the selected result, or -1 if it is no longer shown. */
function findSelected(): number {
  return listResults().findIndex((result) => result.hasAttribute('data-selected'))
}

/** Selects a result, as Mantine does for the arrow keys. */
function select(index: number): void {
  for (const [position, result] of listResults().entries())
    result.toggleAttribute('data-selected', position === index)
  store.updateState((state) => ({ ...state, selected: index }))
}

function listResults(): Element[] {
  return [...document.querySelectorAll('[data-results] [data-action]')]
}

function clickSelected(): void {
  document.querySelector<HTMLElement>('[data-results] [data-selected]')?.click()
}
