import { Kbd, Table } from '@mantine/core'
import { useHotkeys } from '@mantine/hooks'
import { useNavigate } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import { Dialog } from '../ui/dialog.tsx'
import { screens } from './screens.ts'

/** Milliseconds within which the second key of a shortcut must be pressed. */
const sequenceTime = 1500

/** Handles the keyboard shortcuts and shows the dialog that lists them. */
export function Shortcuts() {
  const [isHelpOpen, setHelpOpen] = useState(false)
  const navigate = useNavigate()
  const firstKeyTime = useRef(0)

  useHotkeys([
    ['shift + ?', () => setHelpOpen(true)],
    ['/', focusSearch],
    [
      'g',
      () => {
        firstKeyTime.current = Date.now()
      },
    ],
  ])

  useEffect(() => {
    function onKeyDown(event: KeyboardEvent) {
      const isSecond = Date.now() - firstKeyTime.current < sequenceTime
      const screen = screens.find(({ key }) => key === event.key)
      if (!isSecond || !screen) return
      firstKeyTime.current = 0
      void navigate({ to: screen.to })
    }
    window.addEventListener('keydown', onKeyDown)
    return () => window.removeEventListener('keydown', onKeyDown)
  }, [navigate])

  return (
    <Dialog opened={isHelpOpen} onClose={() => setHelpOpen(false)} title="Keyboard shortcuts">
      <Table>
        <Table.Tbody>
          <Shortcut keys={['Ctrl', 'K']} meaning="Find people, workspaces, resources and screens" />
          <Shortcut keys={['/']} meaning="Search in the list" />
          <Shortcut keys={['?']} meaning="Show this list" />
          {screens.map(({ key, label }) => (
            <Shortcut key={key} keys={['G', key.toUpperCase()]} meaning={label} />
          ))}
        </Table.Tbody>
      </Table>
    </Dialog>
  )
}

function Shortcut({ keys, meaning }: { keys: string[]; meaning: string }) {
  return (
    <Table.Tr>
      <Table.Td w={110}>
        {keys.map((key) => (
          <Kbd key={key} mr={4}>
            {key}
          </Kbd>
        ))}
      </Table.Td>
      <Table.Td>{meaning}</Table.Td>
    </Table.Tr>
  )
}

function focusSearch(): void {
  document.querySelector<HTMLInputElement>('[data-search-input]')?.focus()
}
