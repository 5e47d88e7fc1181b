import { Alert, Button, Group, List, Text } from '@mantine/core'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { describeError } from '../api/api-error.ts'
import { Dialog } from './dialog.tsx'
import { notifyDone } from './notify.ts'

/** The number of items of a call, after which the progress is shown and the action can be stopped. */
const partSize = 50

/** The maximum number of names in a confirmation. */
const maxNames = 10

type Item = { id: string; name: string }
type Failure = Item & { message: string }

type Props = {
  title: string
  /** The verb for the action. */
  action: string
  isDestructive?: boolean
  isOpen: boolean
  onClose: () => void
  items: Item[]
  /** The effect, and the fields of the action. */
  children: ReactNode
  /** Whether the fields are complete. */
  isReady?: boolean
  /** Performs the action on some of the items. Returns those on which it failed. */
  run: (ids: string[]) => Promise<{ failures: { id: string; message: string }[] }>
  /** Called at the end, with the items on which the action failed or that were not tried. */
  onDone: (remainingIds: string[]) => Promise<unknown>
  /** Describes what happened to a number of items. */
  describeDone: (count: number) => string
}

/**
 * Confirms an action on several objects once, performs it on all of them in parts, and reports each
 * failure. One failure does not keep the action from the others. It can be stopped after each part.
 */
export function BulkDialog(props: Props) {
  const { title, isOpen, onClose } = props
  return (
    <Dialog opened={isOpen} onClose={onClose} title={title} closeOnClickOutside={false}>
      <BulkBody {...props} />
    </Dialog>
  )
}

function BulkBody({
  action,
  isDestructive = false,
  onClose,
  items,
  children,
  isReady = true,
  run,
  onDone,
  describeDone,
}: Props) {
  // The items of the dialog remain, although the selection behind it changes.
  const [targets] = useState(items)
  const [tried, setTried] = useState<number>()
  const [failures, setFailures] = useState<Failure[]>()
  const [isStopping, setStopping] = useState(false)
  const isStopped = useRef(false)

  function stop() {
    isStopped.current = true
    setStopping(true)
  }
  // A dialog that has closed stops, too.
  useEffect(
    () => () => {
      isStopped.current = true
    },
    [],
  )

  async function execute() {
    const failed: Failure[] = []
    let tried = 0
    isStopped.current = false
    while (tried < targets.length && !isStopped.current) {
      setTried(tried)
      const part = targets.slice(tried, tried + partSize)
      try {
        const { failures } = await run(part.map(({ id }) => id))
        const messages = new Map(failures.map(({ id, message }) => [id, message]))
        for (const item of part) {
          const message = messages.get(item.id)
          if (message !== undefined) failed.push({ ...item, message })
        }
      } catch (error) {
        failed.push(...part.map((item) => ({ ...item, message: describeError(error) })))
      }
      tried += part.length
    }
    const untried = targets.slice(tried)
    await onDone([...failed, ...untried].map(({ id }) => id))
    setTried(undefined)
    const done = tried - failed.length
    if (done > 0) notifyDone(describeDone(done))
    if (failed.length === 0) onClose()
    else setFailures(failed)
  }

  if (failures) return <Failures failures={failures} total={targets.length} onClose={onClose} />
  const isRunning = tried !== undefined
  return (
    <>
      <Text component="div" mb="md">
        {children}
      </Text>
      <Names items={targets} />
      {/* A region that is always present, so that screen readers announce its changes. */}
      <div role="status">
        {isRunning && `${tried.toLocaleString()} of ${targets.length.toLocaleString()} done`}
      </div>
      <Group justify="flex-end" mt="lg" gap="xs">
        <Button variant="default" onClick={isRunning ? stop : onClose} disabled={isStopping}>
          {isRunning ? 'Stop' : 'Cancel'}
        </Button>
        <Button
          onClick={execute}
          loading={isRunning}
          disabled={!isReady}
          {...(isDestructive && { color: 'red' })}
        >
          {action}
        </Button>
      </Group>
    </>
  )
}

function Names({ items }: { items: Item[] }) {
  const omitted = items.length - maxNames
  return (
    <List size="sm">
      {items.slice(0, maxNames).map(({ id, name }) => (
        <List.Item key={id}>
          <bdi>{name}</bdi>
        </List.Item>
      ))}
      {omitted > 0 && <List.Item>and {omitted.toLocaleString()} more</List.Item>}
    </List>
  )
}

function Failures({
  failures,
  total,
  onClose,
}: {
  failures: Failure[]
  total: number
  onClose: () => void
}) {
  return (
    <>
      <Alert
        color="red"
        variant="light"
        role="alert"
        title={`${failures.length.toLocaleString()} of ${total.toLocaleString()} failed, and remain selected`}
      >
        <List size="sm">
          {failures.map(({ id, name, message }) => (
            <List.Item key={id}>
              <bdi>{name}</bdi>: {message}
            </List.Item>
          ))}
        </List>
      </Alert>
      <Group justify="flex-end" mt="lg">
        <Button variant="default" onClick={onClose}>
          Close
        </Button>
      </Group>
    </>
  )
}
