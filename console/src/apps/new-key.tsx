import { Alert, Button, Checkbox, Group, Tabs } from '@mantine/core'
import { useState } from 'react'
import { CopyableCode } from '../ui/copy.tsx'
import { PersistentDialog } from '../ui/dialog.tsx'
import { Icon } from '../ui/icon.tsx'
import { createSnippets } from './snippets.ts'

export type NewKey = { key: string; serviceName: string }

/** Shows a new service key, which cannot be shown again, and code that uses it. */
export function NewKeyModal({
  newKey,
  onClose,
}: {
  newKey: NewKey | undefined
  onClose: () => void
}) {
  return (
    <PersistentDialog opened={newKey !== undefined} size="lg" title="Copy the service key">
      {newKey && <NewKeyBody newKey={newKey} onClose={onClose} />}
    </PersistentDialog>
  )
}

function NewKeyBody({ newKey, onClose }: { newKey: NewKey; onClose: () => void }) {
  const [isStored, setStored] = useState(false)
  return (
    <>
      <Alert color="yellow" variant="light" icon={<Icon name="alert" />} mb="md">
        This is the only time that the key is shown: the server keeps its hash.
      </Alert>
      <CopyableCode code={newKey.key} label="Service key" />
      <Snippets newKey={newKey} />
      <Checkbox
        label="I have stored the key"
        checked={isStored}
        onChange={(event) => setStored(event.currentTarget.checked)}
        mt="lg"
      />
      <Group justify="flex-end" mt="md">
        <Button disabled={!isStored} onClick={onClose}>
          Done
        </Button>
      </Group>
    </>
  )
}

function Snippets({ newKey: { key, serviceName } }: { newKey: NewKey }) {
  const snippets = createSnippets(key, serviceName)
  return (
    <Tabs defaultValue={snippets[0]?.title ?? null} mt="lg">
      <Tabs.List mb="sm">
        {snippets.map(({ title }) => (
          <Tabs.Tab key={title} value={title}>
            {title}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {snippets.map(({ title, code }) => (
        <Tabs.Panel key={title} value={title}>
          <CopyableCode code={code} label={`Example for ${title}`} />
        </Tabs.Panel>
      ))}
    </Tabs>
  )
}
