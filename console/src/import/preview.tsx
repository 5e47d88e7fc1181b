import { Alert, Button, Group, SegmentedControl } from '@mantine/core'
import { useState } from 'react'
import { Icon } from '../ui/icon.tsx'
import { ErrorState } from '../ui/states.tsx'
import { type ChosenFile, type ImportReport, separateRows } from './import-requests.ts'
import classes from './preview.module.css'
import { countRows, RejectedButton } from './rejected-button.tsx'
import { RowTable } from './row-table.tsx'
import { Summary } from './summary.tsx'

type Props = {
  file: ChosenFile
  report: ImportReport
  onCancel: () => void
  onExecute: () => Promise<void>
  /** Imports the rows without errors. */
  onExecuteGood: () => Promise<void>
}

/**
 * Shows the changes that the import would make to each row, errors first. Rows with errors can be left
 * out.
 */
export function Preview({ file, report, onCancel, onExecute, onExecuteGood }: Props) {
  const { summary } = report
  const [filter, setFilter] = useState(summary.errors > 0 ? 'error' : 'all')
  const [isRunning, setRunning] = useState(false)
  const [error, setError] = useState<unknown>()
  const changes = summary.create + summary.update

  async function execute(send: () => Promise<void>) {
    setRunning(true)
    setError(undefined)
    try {
      await send()
    } catch (error) {
      setError(error)
      setRunning(false)
    }
  }

  return (
    <>
      <p>
        <b>{file.name}</b> has {countRows(summary.rows)}.
      </p>
      <Summary summary={summary} />
      {summary.errors > 0 && (
        <Alert color="red" variant="light" icon={<Icon name="alert" />} my="md">
          <p className={classes.errors}>
            Correct the rows with errors and choose the file again, or import only the others.
          </p>
          <RejectedButton findRejected={async () => (await separateRows(file, report)).rejected} />
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
      <div role="status">{isRunning && <p>Importing {countChanges(changes)}…</p>}</div>
      <Group justify="flex-end" gap="xs" mt="lg">
        <Button variant="default" onClick={onCancel} disabled={isRunning}>
          Choose another file
        </Button>
        <Button
          onClick={() => execute(summary.errors > 0 ? onExecuteGood : onExecute)}
          loading={isRunning}
          disabled={changes === 0}
        >
          {describeImport(changes, summary.errors)}
        </Button>
      </Group>
    </>
  )
}

function describeImport(changes: number, errors: number): string {
  if (changes === 0) return 'Nothing to import'
  if (errors === 0) return `Import ${countChanges(changes)}`
  return `Import ${countChanges(changes)} without ${countRows(errors)}`
}

function countChanges(changes: number): string {
  return changes === 1 ? '1 change' : `${changes.toLocaleString()} changes`
}
