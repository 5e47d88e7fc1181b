import { Alert, Button, Group } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { Icon } from '../ui/icon.tsx'
import type { ImportReport, Rejected } from './import-requests.ts'
import { countRows, RejectedButton } from './rejected-button.tsx'
import classes from './report.module.css'
import { RowTable } from './row-table.tsx'
import { Summary } from './summary.tsx'

type Props = {
  report: ImportReport
  /** The rows that were left out, if any. */
  rejected?: Rejected | undefined
  onRestart: () => void
}

/** Shows the changes that the import made. */
export function Report({ report, rejected, onRestart }: Props) {
  return (
    <>
      <Alert color="leaf" variant="light" icon={<Icon name="check" />} mb="md" role="status">
        {rejected ? `${countRows(report.summary.rows)} imported.` : 'The file was imported.'}
      </Alert>
      {rejected && (
        <Alert color="yellow" variant="light" icon={<Icon name="alert" />} mb="md">
          <p className={classes.rejected}>
            {countRows(rejected.count)} left out. Correct the errors in the downloaded file and
            import it: its column <code>errors</code> is ignored.
          </p>
          <RejectedButton findRejected={async () => rejected} />
        </Alert>
      )}
      <Summary summary={report.summary} />
      <div style={{ marginTop: '1rem' }}>
        <RowTable report={report} filter="all" />
      </div>
      <Group justify="flex-end" gap="xs" mt="lg">
        <Button variant="default" onClick={onRestart}>
          Import another file
        </Button>
        <Button component={Link} to="/people">
          Show people
        </Button>
      </Group>
    </>
  )
}
