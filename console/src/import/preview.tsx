import { Alert, Button, Group, SegmentedControl } from '@mantine/core'
import { useState } from 'react'
import { Icon } from '../ui/icon.tsx'
import { ErrorState } from '../ui/states.tsx'
import type { ChosenFile, ImportReport } from './import-requests.ts'
import { RowTable } from './row-table.tsx'
import { Summary } from './summary.tsx'

type Props = {
  file: ChosenFile
  report: ImportReport
  onCancel: () => void
  onExecute: () => Promise<void>
}

/**
 * Shows the changes that the import would make to each row. Errors come first and prevent the
 * import.
 */
export function Preview({ file, report, onCancel, onExecute }: Props) {
  const { summary } = report
  const [filter, setFilter] = useState(summary.errors > 0 ? 'error' : 'all')
  const [isRunning, setRunning] = useState(false)
  const [error, setError] = useState<unknown>()
  const changes = summary.create + summary.update

  async function execute() {
    setRunning(true)
    setError(undefined)
    try {
      await onExecute()
    } catch (error) {
      setError(error)
      setRunning(false)
    }
  }

  return (
    <>
      <p>
        <b>{file.name}</b> has {summary.rows.toLocaleString()} rows.
      </p>
      <Summary summary={summary} />
      {summary.errors > 0 && (
        <Alert color="red" variant="light" icon={<Icon name="alert" />} my="md">
          Correct the rows with errors and choose the file again. The import is all or nothing.
        </Alert>
      )}
      <SegmentedControl
        aria-label="Rows to show"
        value={filter}
        onChange={setFilter}
        my="md"
        data={[
          { value: 'all', label: 'All' },
          { value: 'error', label: 'Errors' },
          { value: 'create', label: 'New' },
          { value: 'update', label: 'Changed' },
        ]}
      />
      <RowTable report={report} filter={filter} />
      {error !== undefined && <ErrorState error={error} />}
      {/* A region that is always present, so that screen readers announce its changes. */}
      <div role="status">{isRunning && <p>Importing {changes.toLocaleString()} changes…</p>}</div>
      <Group justify="flex-end" gap="xs" mt="lg">
        <Button variant="default" onClick={onCancel} disabled={isRunning}>
          Choose another file
        </Button>
        <Button
          onClick={execute}
          loading={isRunning}
          disabled={summary.errors > 0 || changes === 0}
        >
          {changes === 0 ? 'Nothing to import' : `Import ${changes.toLocaleString()} changes`}
        </Button>
      </Group>
    </>
  )
}
